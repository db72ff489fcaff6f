import { ApiError, isRetryable } from '../../contract/errors.ts'
import type { CrmProblemCode } from '../../contract/crm.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { personKey } from '../../kernel/phone-number.ts'
import type { InstanceSubject } from '../handler.ts'
import type { CrmDeps } from './deps.ts'
import {
  countWrittenTry,
  endWritten,
  firstWritten,
  holdWrittenTo,
  insertWritten,
  nextWrittenHold,
  releaseWritten,
  setPart,
  writtenTo,
  type InboxRow,
} from './inbox-store.ts'
import { keyOf } from './keys.ts'
import { noteError } from './link-store.ts'
import { linkIdOfSendQueue, sendQueueOf, type CrmLink, type Links } from './links.ts'
import { contactOf, forgetMessage, PAUSED } from './outbox-store.ts'
import { numbersOf } from './people.ts'
import type { Turn } from './queues.ts'
import type { Statuses } from './statuses.ts'
import { partsOfWritten, tooMuch, type Part, type Written } from './written.ts'

interface InboxDeps extends Pick<CrmDeps, 'messages' | 'instances' | 'optOuts'> {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly links: Links
  readonly statuses: Statuses
  readonly wake: (tx: Tx, queue: string) => Promise<void>
}

export interface NewWritten {
  readonly link: CrmLink
  /** The scope within which `externalId` is unique. */
  readonly scope: string
  readonly externalId: string
  /** Digits; empty if the contact has no number. */
  readonly phone: string
  readonly written: Written
}

const CONTACTS = 8
const OF_CONTACT = 4
const LOOKED_AT = 64
const HOLD_MS = [1_000, 2_000, 5_000, 10_000, 15_000, 30_000] as const
const GIVEN_UP_MS = 24 * 3_600_000
const ANSWERED_MS = 24 * 3_600_000
const OPTED_OUT =
  'The person opted out and has not written in the last 24 hours, so this was not sent. You can answer once they write.'

export type Inbox = ReturnType<typeof createInbox>

type Verdict =
  | { readonly kind: 'sent' }
  | { readonly kind: 'hold'; readonly waitMs: number }
  | { readonly kind: 'failed'; readonly code: CrmProblemCode | null; readonly reason: string }

/** Messages that CRM users write: stored before the CRM is answered, then sent once and in order for each contact. */
export function createInbox(deps: InboxDeps) {
  const { db, clock, log, links, statuses, messages, instances, optOuts, wake } = deps

  const outside = { one: db.readOne, all: db.read }

  /** @returns false if the CRM has posted it before. */
  async function take(tx: Tx, { link, scope, externalId, phone, written }: NewWritten): Promise<boolean> {
    const number = personKey(phone)
    const [head] = await tx.all(writtenTo, { linkSeq: link.seq, number, limit: 1 })
    const row = {
      ...{ seq: await tx.next('crm_inbox'), scope, externalId, linkSeq: link.seq, number },
      payload: JSON.stringify(written),
      holdUntilMs: link.paused === 1 ? PAUSED : (head?.holdUntilMs ?? 0),
      now: clock.now(),
    }
    if ((await tx.run(insertWritten, row)) === 0) return false
    links.notify(tx, link.accountId)
    await wake(tx, sendQueueOf(link))
    return true
  }

  /** Records a message that was handled immediately, so that a repeat changes nothing. @returns false for a repeat. */
  async function noteHandled(
    tx: Tx,
    { link, scope, externalId, phone }: Omit<NewWritten, 'written'>,
  ): Promise<boolean> {
    const now = clock.now()
    const seq = await tx.next('crm_inbox')
    const row = { seq, scope, externalId, linkSeq: link.seq, number: personKey(phone) }
    if ((await tx.run(insertWritten, { ...row, payload: '{}', holdUntilMs: 0, now })) === 0) return false
    await tx.run(endWritten, { seq, state: 'done', now })
    return true
  }

  /**
   * Sends one message. Its key makes a repeat harmless: it returns the first result, or sends again if the first send
   * is known to have left nothing. Until this is known, the message and those after it wait.
   */
  async function send(
    link: CrmLink,
    instance: InstanceSubject,
    row: InboxRow,
    to: string,
    part: Part,
  ): Promise<Verdict> {
    const idempotencyKey = keyOf(link.kind, row.externalId, row.part)
    const before = await messages.getByKey(instance.id, idempotencyKey).catch(asMissing)
    if (before !== undefined && before.status !== 'failed')
      return before.status === 'queued' ? later(row) : { kind: 'sent' }
    // Another message may replace it, and the failure must not stay visible then.
    if (before !== undefined)
      await db.commit((tx) => tx.run(forgetMessage, { linkSeq: link.seq, messageId: before.id }))
    const body = { to, ...part }
    try {
      const origin = { kind: 'crm', link: link.kind, externalId: row.externalId } as const
      const request = { instance, body, rawBody: () => body, idempotencyKey, source: 'ghl', origin } as const
      const result = await messages.send(request)
      if (result.kind === 'not_sent') return judge(row, result.error)
      if (result.kind === 'unknown') return later(row)
      // The network refused it permanently, so it was not sent again.
      if (before?.id === result.messageId)
        return { kind: 'failed', code: null, reason: before.error?.message ?? 'The message could not be sent.' }
      return { kind: 'sent' }
    } catch (error) {
      if (error instanceof ApiError) return judge(row, error)
      throw error
    }
  }

  const later = ({ tries }: InboxRow): Verdict => ({
    kind: 'hold',
    waitMs: HOLD_MS[Math.min(tries, HOLD_MS.length - 1)] ?? 30_000,
  })

  function judge(row: InboxRow, error: ApiError): Verdict {
    const { receivedAtMs } = row
    const now = clock.now()
    const mayPass = isRetryable(error.code) || error.code === 'not_ready' || error.code === 'idempotency_in_progress'
    if (!mayPass) {
      const isFile = error.message.startsWith('media_url')
      const reason = isFile ? `The attachment ${error.message.slice('media_url '.length)}` : error.message
      return { kind: 'failed', code: isFile ? 'attachment_unavailable' : null, reason }
    }
    if (now - receivedAtMs > GIVEN_UP_MS)
      return {
        kind: 'failed',
        code: null,
        reason: 'The number was not connected for 24 hours, so the message was not sent.',
      }
    const seconds = Number(error.headers['Retry-After'] ?? NaN)
    return Number.isFinite(seconds) ? { kind: 'hold', waitMs: seconds * 1_000 } : later(row)
  }

  /** A person who writes after opting out is answered for a day, as elsewhere. */
  async function isAnswer({ accountId, instanceId }: CrmLink, number: string, to: string): Promise<boolean> {
    const optedOutAtMs = (await optOuts.optedOutAt(outside, accountId, instanceId, number)) ?? 0
    const wroteAtMs = (await messages.lastReceivedAtMs(instanceId, to)) ?? 0
    return wroteAtMs > optedOutAtMs && clock.now() - wroteAtMs < ANSWERED_MS
  }

  async function refusal(
    link: CrmLink,
    { number, externalId, part }: InboxRow,
    to: string,
  ): Promise<Verdict | undefined> {
    if (!link.sync.outbound)
      return { kind: 'failed', code: null, reason: 'Sending from the CRM is turned off for this number.' }
    if (number === '')
      return {
        kind: 'failed',
        code: 'no_number',
        reason: 'The contact has no phone number. Add it with its country code, and write again.',
      }
    // Once a part was sent, the other parts follow.
    if (part > 0 || !(await optOuts.isOptedOut(outside, link.accountId, link.instanceId, number))) return undefined
    if (await isAnswer(link, number, to)) return undefined
    const known = await messages.getByKey(link.instanceId, keyOf(link.kind, externalId, 0)).catch(asMissing)
    if (known !== undefined) return undefined
    return { kind: 'failed', code: null, reason: OPTED_OUT }
  }

  /** @returns whether the contact's next message may follow. */
  async function carryOut(link: CrmLink, instance: InstanceSubject, given: InboxRow): Promise<boolean> {
    let row = given
    const written = JSON.parse(row.payload) as Written
    const parts = partsOfWritten(written)
    const to = await chatOf(link, row.number)
    const tooLarge = tooMuch(written)
    const refused =
      tooLarge === undefined
        ? await refusal(link, row, to)
        : ({ kind: 'failed', code: null, reason: tooLarge } satisfies Verdict)
    if (refused !== undefined) return settle(link, row, refused)
    if (parts.length === 0)
      return settle(link, row, { kind: 'failed', code: null, reason: 'The message has neither text nor attachments.' })
    while (row.part < parts.length) {
      const part = parts[row.part]
      if (part === undefined) break
      const verdict = await send(link, instance, row, to, part)
      if (verdict.kind !== 'sent') return settle(link, row, verdict)
      row = { ...row, part: row.part + 1 }
      if (row.part < parts.length) await db.commit((tx) => tx.run(setPart, row))
    }
    return settle(link, row, { kind: 'sent' })
  }

  async function settle(link: CrmLink, row: InboxRow, verdict: Verdict): Promise<boolean> {
    const { seq, number, linkSeq, externalId } = row
    const now = clock.now()
    await db.commit(async (tx) => {
      links.notify(tx, link.accountId)
      if (verdict.kind === 'hold') {
        await tx.run(countWrittenTry, { seq })
        await tx.run(holdWrittenTo, { linkSeq, number, holdUntilMs: clock.now() + verdict.waitMs })
        return
      }
      await tx.run(endWritten, { seq, state: verdict.kind === 'sent' ? 'done' : 'failed', now })
      // Its status may have changed before this result was stored.
      if (verdict.kind === 'sent') return statuses.ofParts(tx, link, externalId)
      await statuses.want(tx, link, externalId, 'failed', verdict.reason)
      if (verdict.code !== null)
        await tx.run(noteError, { seq: linkSeq, code: verdict.code, message: verdict.reason, now })
    })
    return verdict.kind !== 'hold'
  }

  /** The number in the form that the instance uses, which for a Brazilian mobile may lack the ninth digit. */
  async function chatOf({ queue }: CrmLink, number: string): Promise<string> {
    const chat = (await db.readOne(contactOf, { queue, number }))?.chat
    return chat ?? numbersOf(number).phone
  }

  async function turn(queue: string): Promise<Turn> {
    const link = await links.byId(linkIdOfSendQueue(queue))
    const instance = link && (await instances.subject(link.accountId, link.instanceId))
    if (link === undefined || instance === undefined || link.paused === 1) return { kind: 'idle' }
    const now = clock.now()
    const found = await db.read(firstWritten, { linkSeq: link.seq, now, limit: LOOKED_AT })
    const numbers = [...new Set(found.map(({ number }) => number))].slice(0, CONTACTS)
    const runs = await Promise.all(
      numbers.map((number) => db.read(writtenTo, { linkSeq: link.seq, number, limit: OF_CONTACT })),
    )
    const due = runs.filter(([first]) => first !== undefined && first.holdUntilMs <= now)
    await Promise.all(
      due.map(async (rows) => {
        for (const row of rows) {
          try {
            if (!(await carryOut(link, instance, row))) return
          } catch (error) {
            log.error({ event: 'crm.send_failed', cause: cause(error) })
            await settle(link, row, { kind: 'hold', waitMs: 30_000 })
            return
          }
        }
      }),
    )
    return due.length === 0 ? { kind: 'idle' } : { kind: 'more', record: async () => {} }
  }

  return {
    take,
    noteHandled,
    turn,
    async dueAtMs(tx: Tx, queue: string): Promise<number | null> {
      const link = await links.byId(linkIdOfSendQueue(queue), tx)
      if (link === undefined) return null
      const first = (await tx.one(nextWrittenHold, { linkSeq: link.seq }))?.holdUntilMs ?? PAUSED
      return first >= PAUSED ? null : first
    },
    /** The instance is connected: sends the messages that waited. */
    async connected(tx: Tx, instanceId: string): Promise<void> {
      if (!links.isLinked(instanceId)) return
      for (const link of await links.ofInstance(instanceId, tx)) {
        if ((await tx.run(releaseWritten, { linkSeq: link.seq })) > 0) await wake(tx, sendQueueOf(link))
      }
    },
  }
}

function asMissing(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'not_found')) throw error
  return undefined
}
