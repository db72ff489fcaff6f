import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Notice } from '../../contract/notice.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import { CSV_BOM, csvLine } from '../../kernel/csv.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { dueAt, dueIn } from '../../kernel/due.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import { stillBusy, type Idempotency } from '../../kernel/idempotency.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { JobOutcome } from '../../kernel/job.ts'
import type { Ledger } from '../../kernel/ledger.ts'
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

/** Checks which of many numbers are on WhatsApp: a job that asks a portion in each run. */
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
      // It was canceled meanwhile, or its instance is gone.
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

  ledger.inCommit(async (tx, { type, instanceId }) => {
    if (type === 'instance.auth_failed') await endOpen(tx, instanceId, 'signed_out')
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

  /** Those of one list, in the commit that makes the check exist. */
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
    async start(instance: InstanceSubject, { numbers, rawBody, idempotencyKey: key }: StartCall) {
      const { id: scopeId } = instance
      const held =
        key === null ? null : { scopeId, key, fp: idempotency.fingerprint('POST number-checks', scopeId, rawBody) }
      if (held !== null) {
        const earlier = await idempotency.peek(db, held)
        if (earlier.kind === 'replay') return { bytes: earlier.body, replayed: true }
        if (earlier.kind === 'busy') throw stillBusy(earlier)
      }
      if (!instance.connected) throw notConnected(instance, 'no check was started', 'check numbers')
      const id = ids.tagged('nck')
      return db.commit(async (tx) => {
        if (held !== null) {
          const claim = await idempotency.claim(tx, { ...held, subjectId: id, boot: db.boot })
          if (claim.kind === 'busy') throw stillBusy(claim)
          if (claim.kind === 'replay') return { bytes: claim.body, replayed: true }
        }
        if (await tx.one(openCheckOf, { instanceId: scopeId }))
          throw new ApiError('invalid_state', 'A check of this instance has not ended. Cancel it first.').because(
            'number_check_running',
          )
        await insert(tx, instance, id, [...new Set(numbers)])
        const check = await tx.one(checkNamed, { id })
        if (!check) throw new Error('A check that was just written is not there')
        const bytes = Buffer.from(JSON.stringify(toView(check)))
        if (held !== null) await idempotency.settle(tx, scopeId, held.key, 202, bytes, id)
        publish(tx, check)
        return { bytes, replayed: false }
      })
    },
    async list({ id: instanceId }: InstanceSubject, query: PageQuery): Promise<Page<NumberCheckView>> {
      const { limit = LIMITS.pageSizeDefault, cursor } = query
      const name = `number-checks:${instanceId}`
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursors.decode(name, cursor)[0])
      const rows = await db.read(checksOf, { instanceId, before, limit: limit + 1 })
      return pageOf(rows, limit, toView, ({ seq }) => cursors.encode(name, [seq]))
    },
    /** @throws ApiError not_found */
    read: async (instance: InstanceSubject, checkId: string): Promise<NumberCheckView> =>
      toView(await get(instance, checkId)),
    async numbers(instance: InstanceSubject, checkId: string, query: PageQuery): Promise<Page<CheckedNumber>> {
      const { limit = LIMITS.pageSizeDefault, cursor } = query
      const { seq, id } = await get(instance, checkId)
      const name = `number-check:${id}`
      const after = cursor === undefined ? 0 : Number(cursors.decode(name, cursor)[0])
      const rows = await db.read(numbersOf, { seq, after, limit: limit + 1 })
      return pageOf(rows, limit, toNumber, ({ position }) => cursors.encode(name, [position]))
    },
    /** @param forSpreadsheets begins it with a byte order mark, which programs stumble over. */
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

function pageOf<Row, T>(
  rows: readonly Row[],
  limit: number,
  view: (row: Row) => T,
  cursorOf: (row: Row) => string,
): Page<T> {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { data: shown.map(view), next_cursor: last ? cursorOf(last) : null, has_more: last !== undefined }
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
