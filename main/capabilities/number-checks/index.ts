import { ApiError } from '../../contract/errors.ts'
import type { Notice } from '../../contract/notice.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import { CSV_BOM, csvLine } from '../../kernel/csv.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { dueAt, dueIn } from '../../kernel/due.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import { createOnce } from '../../kernel/keyed-request.ts'
import type { JobOutcome } from '../../kernel/job.ts'
import type { Ledger } from '../../kernel/ledger.ts'
import { listPage, seqPage } from '../../kernel/list-page.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Cursors } from '../../kernel/page.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Instances } from '../instances/index.ts'
import { notConnected, RECONNECTING_SECONDS } from '../not-connected.ts'
import type { Safety } from '../safety/index.ts'
import {
  CSV_COLUMNS,
  type CheckedNumber,
  type NumberCheckPatch,
  type NumberCheckView,
  type PageQuery,
} from './contract.ts'
import { createPortions, type Portion } from './portion.ts'
import {
  checkNamed,
  checksOf,
  countAnswers,
  endCheck,
  insertCheck,
  insertNumber,
  numbersOf,
  openCheckOf,
  pruneChecks,
  prunePortions,
  removeChecksOf,
  saveAnswer,
  setState,
  setWait,
  type CheckRow,
  type EndReason,
  type NumberRow,
} from './store.ts'

export interface NumberChecksDeps {
  readonly db: Db
  readonly clock: Clock
  readonly ids: Pick<Ids, 'tagged'>
  readonly jobs: Jobs
  readonly ledger: Pick<Ledger, 'inCommit'>
  readonly cursors: Cursors
  readonly idempotency: Idempotency
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly instances: Pick<Instances, 'engineFor' | 'subject' | 'subscribe'>
  readonly safety: Pick<Safety, 'state'>
}

interface Page<T> {
  readonly data: T[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}

interface StartCall {
  readonly numbers: readonly string[]
  readonly rawBody: unknown
  readonly idempotencyKey: string | null
}

const RETRY_DELAYS_MS = [1, 5, 30, 120].map((minutes) => minutes * 60_000)
const WAIT_FOR_LINK_MS = 30_000
const LOOK_AGAIN_MS = 600_000
const KEPT_MS = 30 * 86_400_000
const DAY_MS = 86_400_000
const PRUNED_AT_ONCE = 20
const CSV_ROWS = 1_000

/** Checks which of many numbers are on WhatsApp, with a job that asks for a portion in each run. */
export function createNumberChecks(deps: NumberChecksDeps) {
  const { db, clock, ids, jobs, ledger, cursors, idempotency, live, instances } = deps
  const ask = createPortions(deps)

  const work = jobs.define<{ checkId: string }, Portion | undefined>({
    name: 'number-checks.ask',
    perLane: 1,
    concurrency: 4,
    deadlineMs: 60_000,
    retryDelaysMs: RETRY_DELAYS_MS,
    async act({ input }) {
      const check = await db.readOne(checkNamed, { id: input.checkId })
      return check?.state === 'running' ? ask(check) : undefined
    },
    async record(tx, { input }, portion) {
      const check = await tx.one(checkNamed, { id: input.checkId })
      // Canceled meanwhile, or the instance no longer exists.
      if (portion === undefined || check === undefined || check.endedAtMs !== null) return { kind: 'done' }
      const outcome = await recordPortion(tx, check, portion)
      publish(tx, check)
      return outcome
    },
    async recordFailure(tx, { input }) {
      const check = await tx.one(checkNamed, { id: input.checkId })
      if (check) await end(tx, check, 'engine_failed')
    },
  })

  async function recordPortion(tx: Tx, check: CheckRow, portion: Portion): Promise<JobOutcome> {
    const { seq } = check
    switch (portion.kind) {
      case 'complete':
        await end(tx, check, 'completed')
        return { kind: 'done' }
      case 'later':
        return { kind: 'again', at: dueIn(clock, portion.inMs) }
      case 'waits': {
        const { reason, untilMs, isComingBack } = portion
        const lookMs = isComingBack ? RECONNECTING_SECONDS * 1_000 : WAIT_FOR_LINK_MS
        await tx.run(setWait, { seq, reason, untilMs })
        const againAtMs = Math.min(untilMs ?? Infinity, clock.now() + LOOK_AGAIN_MS)
        const at = reason === 'not_connected' ? dueIn(clock, lookMs) : dueAt(clock, againAtMs)
        return { kind: 'again', at }
      }
      case 'answers': {
        let [asked, found] = [0, 0]
        for (const { position, canonical } of portion.answers) {
          if ((await tx.run(saveAnswer, { seq, position, canonical, now: clock.now() })) === 0) continue
          asked += 1
          if (canonical !== null) found += 1
        }
        await tx.run(countAnswers, { seq, asked, found })
        if (check.asked + asked >= check.total) {
          await end(tx, check, 'completed')
          return { kind: 'done' }
        }
        return { kind: 'again', at: dueIn(clock, portion.pauseMs) }
      }
    }
  }

  async function end(tx: Tx, check: CheckRow, reason: EndReason): Promise<void> {
    const state = reason === 'completed' ? 'completed' : reason === 'engine_failed' ? 'failed' : 'canceled'
    await tx.run(endCheck, { seq: check.seq, state, reason, now: clock.now() })
    if (state === 'canceled') await work.cancel(tx, check.id)
    publish(tx, check)
  }

  function publish(tx: Tx, { accountId, instanceId }: CheckRow): void {
    tx.afterCommit(() => live.publish(accountId, { topic: 'instances', id: instanceId }))
  }

  async function endOpen(tx: Tx, instanceId: string, reason: EndReason): Promise<void> {
    const check = await tx.one(openCheckOf, { instanceId })
    if (check) await end(tx, check, reason)
  }

  ledger.inCommit({
    phase: 'record',
    on: ['instance.auth_failed'],
    run: (tx, { instanceId }) => endOpen(tx, instanceId, 'signed_out'),
  })
  instances.subscribe(async (tx, { kind, id: instanceId }) => {
    await endOpen(tx, instanceId, kind === 'number' ? 'number_changed' : 'canceled')
    if (kind !== 'number') await tx.run(removeChecksOf, { instanceId })
  })

  async function get({ id: instanceId }: InstanceSubject, checkId: string): Promise<CheckRow> {
    const check = await db.readOne(checkNamed, { id: checkId })
    if (check?.instanceId === instanceId) return check
    throw new ApiError('not_found', 'This instance has no check with this id. List its checks to see their ids.')
  }

  /** Adds numbers of one list, in the commit that creates the check. */
  async function insert(
    tx: Tx,
    { accountId, id: instanceId }: InstanceSubject,
    id: string,
    numbers: readonly string[],
  ) {
    const seq = await tx.next('number_checks')
    await tx.run(insertCheck, { seq, id, accountId, instanceId, total: numbers.length, now: clock.now() })
    for (const [position, number] of numbers.entries())
      await tx.run(insertNumber, { seq, position: position + 1, number })
    await work.add(tx, { accountId, subjectId: id, input: { checkId: id } })
  }

  return {
    /** @throws ApiError invalid_state, not_ready */
    start(instance: InstanceSubject, { numbers, rawBody, idempotencyKey: key }: StartCall) {
      const { id: scopeId } = instance
      const id = ids.tagged('nck')
      const request = { operation: 'POST number-checks', scopeId, key, rawBody, subjectId: id, status: 202 }
      return createOnce({ db, idempotency }, request, async () => {
        if (!instance.connected) throw notConnected(instance, 'no check was started', 'check numbers')
        return async (tx) => {
          if (await tx.one(openCheckOf, { instanceId: scopeId }))
            throw new ApiError('invalid_state', 'A check of this instance has not ended. Cancel it first.').because(
              'number_check_running',
            )
          await insert(tx, instance, id, [...new Set(numbers)])
          const check = await tx.one(checkNamed, { id })
          if (!check) throw new Error('A check that was just written is not there')
          publish(tx, check)
          return toView(check)
        }
      })
    },
    list: ({ id: instanceId }: InstanceSubject, query: PageQuery): Promise<Page<NumberCheckView>> =>
      seqPage(
        cursors,
        `number-checks:${instanceId}`,
        query,
        ({ before, rows }) => db.read(checksOf, { instanceId, before, limit: rows }),
        toView,
      ),
    /** @throws ApiError not_found */
    read: async (instance: InstanceSubject, checkId: string): Promise<NumberCheckView> =>
      toView(await get(instance, checkId)),
    async numbers(instance: InstanceSubject, checkId: string, query: PageQuery): Promise<Page<CheckedNumber>> {
      const { seq, id } = await get(instance, checkId)
      return listPage(cursors, `number-check:${id}`, query, {
        read: ({ after: [after = 0] = [], rows }) => db.read(numbersOf, { seq, after: Number(after), limit: rows }),
        at: ({ position }) => [position],
        show: (numbers) => numbers.map(toNumber),
      })
    },
    /** @param forSpreadsheets adds a byte order mark for spreadsheet programs; other programs may not accept it. */
    async csv(instance: InstanceSubject, checkId: string, forSpreadsheets: boolean): Promise<AsyncGenerator<Buffer>> {
      const { seq } = await get(instance, checkId)
      return linesOf(db, seq, forSpreadsheets)
    },
    /** @throws ApiError not_found, invalid_state */
    async update(instance: InstanceSubject, checkId: string, { state }: NumberCheckPatch): Promise<NumberCheckView> {
      await get(instance, checkId)
      if (state !== undefined)
        await db.commit(async (tx) => {
          const check = await tx.one(checkNamed, { id: checkId })
          if (!check || check.endedAtMs !== null)
            throw new ApiError('invalid_state', 'This check has ended. Start another one.').because(
              'number_check_ended',
            )
          if (check.state === state) return
          if (state === 'canceled') return end(tx, check, 'canceled')
          await (state === 'paused' ? work.pause(tx, check.id) : work.resume(tx, check.id))
          await tx.run(setState, { seq: check.seq, state })
          publish(tx, check)
        })
      return toView(await get(instance, checkId))
    },

    retention: {
      name: 'number checks',
      begin: () => async () => {
        const now = clock.now()
        return db.commit(async (tx) => {
          const checks = await tx.run(pruneChecks, { before: now - KEPT_MS, limit: PRUNED_AT_ONCE })
          const portions = await tx.run(prunePortions, { before: now - DAY_MS, limit: CSV_ROWS })
          return checks === PRUNED_AT_ONCE || portions === CSV_ROWS
        })
      },
    } satisfies Chore,
  }
}

export type NumberChecks = ReturnType<typeof createNumberChecks>

async function* linesOf(db: Db, seq: number, forSpreadsheets: boolean): AsyncGenerator<Buffer> {
  yield Buffer.from((forSpreadsheets ? CSV_BOM : '') + csvLine(CSV_COLUMNS))
  for (let after = 0; ;) {
    const rows = await db.read(numbersOf, { seq, after, limit: CSV_ROWS })
    const lines = rows.map(toNumber).map((row) => csvLine(CSV_COLUMNS.map((column) => row[column])))
    if (lines.length > 0) yield Buffer.from(lines.join(''))
    const last = rows.at(-1)
    if (last === undefined || rows.length < CSV_ROWS) return
    after = last.position
    await yieldToEventLoop()
  }
}

const toView = (check: CheckRow): NumberCheckView => ({
  check_id: check.id,
  state: check.state,
  total: check.total,
  asked: check.asked,
  on_whatsapp: check.found,
  not_on_whatsapp: check.asked - check.found,
  waiting: check.waitReason === null ? null : { reason: check.waitReason, until: isoTimeOrNull(check.waitsUntilMs) },
  ended_reason: check.endedReason,
  created_at: isoTime(check.createdAtMs),
  ended_at: isoTimeOrNull(check.endedAtMs),
})

function toNumber({ number, canonical, askedAtMs }: NumberRow): CheckedNumber {
  const state = askedAtMs === null ? 'not_asked' : canonical === null ? 'not_on_whatsapp' : 'on_whatsapp'
  return { number, state, canonical, asked_at: isoTimeOrNull(askedAtMs) }
}
