import type { BackfillState, CrmBackfill } from '../../contract/crm.ts'
import { ApiError } from '../../contract/errors.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { dueIn } from '../../kernel/due.ts'
import type { JobOutcome } from '../../kernel/job.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import { backfillOf, putBackfill, type BackfillRow } from './backfill-store.ts'
import type { CrmDeps } from './deps.ts'
import type { CrmLink, Links } from './links.ts'
import type { Outbox } from './outbox.ts'
import { dropOfLink, forgetDropped, holdOfLink, PAUSED, waitingOfLink } from './outbox-store.ts'

interface BackfillDeps extends Pick<CrmDeps, 'messages'> {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'movedMs'>
  readonly jobs: Jobs
  readonly links: Links
  readonly outbox: Outbox
  readonly wake: (tx: Tx, queue: string) => Promise<void>
}

interface Found {
  readonly link: CrmLink
  readonly row: BackfillRow
  /** null: no more chats. */
  readonly chat: string | null
  readonly messages: readonly { readonly id: string; readonly seq: number; readonly status: ThreadStatus }[]
}
type ThreadStatus = Awaited<ReturnType<CrmDeps['messages']['thread']>>['data'][number]['status']

const DAY_MS = 86_400_000
const PAGE = 200
/** Limit per chat; older messages are not copied. */
const MOST_OF_CHAT = 5_000
/** Subtracted from the positions of backfilled rows, so that new rows sort after them. */
const BEFORE_ALL_NEW = 1_000_000_000_000

export type Backfill = ReturnType<typeof createBackfill>

/** Copies messages from before the CRM was connected, one chat per run, after all new messages. */
export function createBackfill({ db, clock, jobs, links, messages, outbox, wake }: BackfillDeps) {
  const queue = jobs.define<{ readonly linkId: string; readonly startedAtMs: number }, Found | null>({
    name: 'crm.backfill',
    perLane: 1,
    concurrency: 2,
    deadlineMs: 60_000,
    retryDelaysMs: [5_000, 30_000, 60_000, 300_000, 600_000],
    keepsTrying: true,
    act: ({ input }) => look(input),
    record: (tx, { input }, found) => record(tx, input, found),
  })

  async function look({ linkId, startedAtMs }: { linkId: string; startedAtMs: number }): Promise<Found | null> {
    const link = await links.byId(linkId)
    const row = link && (await db.readOne(backfillOf, { linkSeq: link.seq }))
    if (link === undefined || row?.startedAtMs !== startedAtMs || row.state !== 'running') return null
    const [next] = await messages.oldestIn(link.instanceId, row.afterChat, 1)
    if (next === undefined) return { link, row, chat: null, messages: [] }
    const found: { id: string; seq: number; status: ThreadStatus }[] = []
    for (let cursor: string | undefined; found.length < MOST_OF_CHAT;) {
      const page = await messages.thread(link.instanceId, next.chat, {
        limit: PAGE,
        ...(cursor !== undefined && { cursor }),
      })
      const recent = page.data.filter(({ createdAtMs }) => createdAtMs >= row.sinceMs)
      for (const { id, seq, status, type, isGroup } of recent)
        if (isGroup === 0 && type !== 'unavailable' && status !== 'failed' && status !== 'queued')
          found.push({ id, seq, status })
      if (page.nextCursor === null || recent.length < page.data.length) break
      cursor = page.nextCursor
    }
    return { link, row, chat: next.chat, messages: found }
  }

  /** Stores all messages of a chat in one commit, so that they are copied in order. */
  async function record(
    tx: Tx,
    { startedAtMs }: { readonly startedAtMs: number },
    found: Found | null,
  ): Promise<JobOutcome> {
    if (found === null) return { kind: 'done' }
    const { link, chat } = found
    const row = await tx.one(backfillOf, { linkSeq: link.seq })
    if (row?.startedAtMs !== startedAtMs || row.state !== 'running') return { kind: 'done' }
    links.notify(tx, link.accountId)
    if (chat === null) {
      await tx.run(putBackfill, { ...row, isRead: 1 })
      return { kind: 'done' }
    }
    let added = 0
    if (NUMBER.test(chat))
      for (const { id: messageId, seq, status } of found.messages) {
        const position = seq - BEFORE_ALL_NEW
        if (await outbox.add(tx, { link, messageId, chat, position, priority: 1, status })) added++
      }
    await tx.run(putBackfill, {
      ...row,
      afterChat: chat,
      chatsDone: row.chatsDone + 1,
      found: row.found + found.messages.length,
      skipped: row.skipped + found.messages.length - added,
    })
    if (added > 0) await wake(tx, link.queue)
    return { kind: 'again', at: dueIn(clock, 0) }
  }

  const begin = (tx: Tx, { id: linkId, accountId }: CrmLink, startedAtMs: number) =>
    queue.add(tx, { accountId, subjectId: linkId, input: { linkId, startedAtMs } })

  async function countChats(instanceId: CrmLink['instanceId']): Promise<number> {
    let [count, after] = [0, '']
    for (;;) {
      const page = await messages.oldestIn(instanceId, after, 1_000)
      count += page.length
      const last = page.at(-1)
      if (last === undefined || page.length < 1_000) return count
      after = last.chat
    }
  }

  async function waitingIn(tx: Pick<Tx, 'all'>, linkSeq: number): Promise<number> {
    const rows = await tx.all(waitingOfLink, { linkSeq })
    return rows.find(({ priority }) => priority === 1)?.waiting ?? 0
  }

  return {
    /** @throws ApiError invalid_state while one is running. */
    async start(link: CrmLink, days: number): Promise<void> {
      const chatsTotal = await countChats(link.instanceId)
      await db.commit(async (tx) => {
        const before = await tx.one(backfillOf, { linkSeq: link.seq })
        if (before !== undefined && (await stateOf(tx, before)) !== 'done' && before.state !== 'canceled')
          throw new ApiError(
            'invalid_state',
            'A backfill is running already. Wait for its end, or end it with backfill: "canceled".',
          ).because('backfill_running')
        const now = clock.now()
        await tx.run(putBackfill, {
          ...{ linkSeq: link.seq, days, sinceMs: now - days * DAY_MS, state: 'running', isRead: 0, afterChat: '' },
          ...{ chatsDone: 0, chatsTotal, found: 0, skipped: 0, startedAtMs: now, endedAtMs: null },
        })
        await begin(tx, link, now)
        links.notify(tx, link.accountId)
      })
    },

    /** @throws ApiError invalid_state if none is running or paused. */
    async change(tx: Tx, link: CrmLink, state: Exclude<BackfillState, 'done'>): Promise<void> {
      const { seq: linkSeq } = link
      const row = await tx.one(backfillOf, { linkSeq })
      const current = row && (await stateOf(tx, row))
      if (row === undefined || current === 'done' || current === 'canceled')
        throw new ApiError('invalid_state', 'No backfill is running.').because('backfill_none')
      if (current === state) return
      const endedAtMs = state === 'canceled' ? clock.now() : null
      await tx.run(putBackfill, { ...row, state, endedAtMs })
      if (state === 'canceled') {
        await tx.run(dropOfLink, { linkSeq, priority: 1 })
        await tx.run(forgetDropped, { linkSeq })
      }
      if (state === 'paused') await tx.run(holdOfLink, { linkSeq, priority: 1, from: 0, to: PAUSED })
      if (state === 'running') {
        if (link.paused === 0) await tx.run(holdOfLink, { linkSeq, priority: 1, from: PAUSED, to: 0 })
        if (row.isRead === 0) await begin(tx, link, row.startedAtMs)
        await wake(tx, link.queue)
      }
    },

    async view(link: CrmLink): Promise<CrmBackfill | null> {
      const read = { all: db.read }
      const row = await db.readOne(backfillOf, { linkSeq: link.seq })
      if (row === undefined) return null
      const waiting = await waitingIn(read, link.seq)
      const state = await stateOf(read, row)
      return {
        state,
        days: row.days,
        chats: { done: Math.min(row.chatsDone, row.chatsTotal), total: row.chatsTotal },
        messages: {
          found: row.found,
          copied: Math.max(0, row.found - row.skipped - waiting),
          skipped: row.skipped,
        },
        started_at: isoTime(row.startedAtMs),
        ended_at: isoTimeOrNull(row.endedAtMs ?? (state === 'done' ? link.lastSyncAtMs : null)),
      }
    },
    isPaused: async (tx: Tx, linkSeq: number): Promise<boolean> =>
      (await tx.one(backfillOf, { linkSeq }))?.state === 'paused',
  }

  /** Finished once everything that was found is copied. */
  async function stateOf(read: Pick<Tx, 'all'>, row: BackfillRow): Promise<BackfillState> {
    if (row.state !== 'running' || row.isRead === 0) return row.state
    return (await waitingIn(read, row.linkSeq)) === 0 ? 'done' : 'running'
  }
}

const NUMBER = /^[0-9]{7,15}$/
