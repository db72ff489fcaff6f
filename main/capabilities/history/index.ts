import { ApiError } from '../../contract/errors.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { HistoryMessage } from '../../engines/history.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { dueIn } from '../../kernel/due.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Notice } from '../../contract/notice.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Instances } from '../instances/index.ts'
import type { Messages } from '../messages/index.ts'
import { notConnected } from '../not-connected.ts'
import type { HistoryImportPatch, HistoryImportView } from './contract.ts'
import { createSteps, type ImportInput, type StepResult } from './steps.ts'
import {
  importOf,
  moveImport,
  removeChats,
  removeImport,
  saveImport,
  type ImportRow,
  type ImportState,
} from './store.ts'

export interface HistoryDeps {
  readonly db: Db
  readonly clock: Clock
  readonly ids: Pick<Ids, 'tagged'>
  readonly jobs: Jobs
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly instances: Pick<Instances, 'engineFor' | 'subject' | 'subscribe'>
  readonly messages: Pick<Messages, 'importPast' | 'nameChat' | 'oldestIn'>
}

export interface History {
  /** @throws ApiError invalid_state, not_ready */
  start(instance: InstanceSubject, days: number): Promise<HistoryImportView>
  read(instance: InstanceSubject): Promise<HistoryImportView>
  /** @throws ApiError invalid_state */
  update(instance: InstanceSubject, patch: HistoryImportPatch): Promise<HistoryImportView>
  /** The network sent old messages. Idempotent. */
  onPast(instance: InstanceSubject, messages: readonly HistoryMessage[]): Promise<void>
}

const DAY_MS = 86_400_000
/** A sleeping phone answers later. */
const RETRY_DELAYS_MS = [1, 5, 30, 120].map((minutes) => minutes * 60_000)

/** Imports old messages with a job that asks the phone for one chat after another. */
export function createHistory({ db, clock, ids, jobs, live, instances, messages }: HistoryDeps): History {
  const steps = createSteps({
    ...{ db, clock, messages },
    next: (tx, { accountId, importId }, input, inMs) =>
      work.add(tx, { accountId, subjectId: importId, input, runAt: dueIn(clock, inMs) }).then(() => {}),
    async complete(tx, of) {
      await move(tx, of, 'completed')
    },
  })

  const work = jobs.define<ImportInput, StepResult | undefined>({
    name: 'history.import',
    perLane: 1,
    concurrency: 4,
    deadlineMs: 90_000,
    retryDelaysMs: RETRY_DELAYS_MS,
    async act({ subjectId, input }, signal) {
      const of = await db.readOne(importOf, { instanceId: input.instanceId })
      // Another import has replaced this one.
      if (of?.importId !== subjectId) return undefined
      const instance = await instances.subject(of.accountId, of.instanceId)
      const source = instance && !instance.deleted ? instances.engineFor(instance).history : undefined
      return instance && source ? steps(of, instance, source, input, signal) : undefined
    },
    async record(tx, { subjectId, input }, result) {
      const of = await tx.one(importOf, { instanceId: input.instanceId })
      // Canceled or replaced meanwhile.
      const isOpen = of?.importId === subjectId && (of.state === 'running' || of.state === 'paused')
      if (result === undefined || !isOpen) return { kind: 'done' }
      const outcome = await result.record(tx)
      publish(tx, await tx.one(importOf, { instanceId: input.instanceId }))
      return outcome
    },
    async recordFailure(tx, { subjectId, input }, error) {
      const of = await tx.one(importOf, { instanceId: input.instanceId })
      if (of?.importId === subjectId) await move(tx, of, 'failed', error)
    },
  })

  instances.subscribe(async (tx, { kind, id: instanceId }) => {
    if (kind === 'number') return
    const of = await tx.one(importOf, { instanceId })
    if (of) await work.cancel(tx, of.importId)
    await tx.run(removeChats, { instanceId })
    await tx.run(removeImport, { instanceId })
  })

  function publish(tx: Tx, of: ImportRow | undefined): void {
    if (of === undefined) return
    tx.afterCommit(() => {
      live.publish(of.accountId, { topic: 'instances', id: of.instanceId })
      live.publish(of.accountId, { topic: 'messages', instance_id: of.instanceId })
    })
  }

  async function move(tx: Tx, of: ImportRow, state: ImportState, error: string | null = null): Promise<void> {
    const { instanceId, importId } = of
    const isOver = state !== 'running' && state !== 'paused'
    await tx.run(moveImport, { instanceId, importId, state, error, endedAt: isOver ? clock.now() : null })
    if (isOver) await tx.run(removeChats, { instanceId })
    publish(tx, of)
  }

  const read: History['read'] = async ({ id: instanceId }) => toView(await db.readOne(importOf, { instanceId }))

  return {
    read,
    async onPast({ id: instanceId, accountId }, past) {
      await db.commit(async (tx) => {
        if ((await messages.importPast(tx, { instanceId, accountId }, past)) === 0) return
        tx.afterCommit(() => live.publish(accountId, { topic: 'messages', instance_id: instanceId }))
      })
    },
    async start(instance, days) {
      if (instances.engineFor(instance).history === undefined)
        throw new ApiError(
          'invalid_state',
          'A sandbox number has no earlier messages to import. Use a live number.',
        ).because('sandbox_no_history')
      if (!instance.connected) throw notConnected(instance, 'no import was started', 'import its messages')
      const { id: instanceId, accountId } = instance
      const importId = ids.tagged('imp')
      await db.commit(async (tx) => {
        const before = await tx.one(importOf, { instanceId })
        if (before?.state === 'running' || before?.state === 'paused')
          throw new ApiError('invalid_state', 'An import of this instance has not ended. Cancel it first.').because(
            'import_running',
          )
        const now = clock.now()
        await tx.run(removeChats, { instanceId })
        await tx.run(saveImport, { instanceId, accountId, importId, days, since: now - days * DAY_MS, now })
        const input: ImportInput = { instanceId, listing: 'phone', after: '' }
        await work.add(tx, { accountId, subjectId: importId, input })
      })
      return read(instance)
    },
    async update(instance, { state }) {
      if (state === undefined) return read(instance)
      await db.commit(async (tx) => {
        const of = await tx.one(importOf, { instanceId: instance.id })
        if (of?.state !== 'running' && of?.state !== 'paused')
          throw new ApiError('invalid_state', 'No import of this instance is under way.').because('import_none')
        if (of.state === state) return
        if (state === 'paused') await work.pause(tx, of.importId)
        else if (state === 'running') await work.resume(tx, of.importId)
        else await work.cancel(tx, of.importId)
        await move(tx, of, state)
      })
      return read(instance)
    },
  }
}

function toView(of: ImportRow | undefined): HistoryImportView {
  return {
    state: of?.state ?? 'none',
    days: of?.days ?? null,
    since: isoTimeOrNull(of?.sinceMs ?? null),
    chats: { total: of?.chatsTotal ?? 0, done: of?.chatsDone ?? 0 },
    messages: of?.messages ?? 0,
    source: of === undefined ? null : of.hasPhoneList === 1 ? 'phone' : 'messages',
    failure: of?.error ?? null,
    started_at: of === undefined ? null : isoTime(of.startedAtMs),
    ended_at: isoTimeOrNull(of?.endedAtMs ?? null),
  }
}
