import { join } from 'node:path'
import { afterEach, expect } from 'vitest'
import { checkInvariants, createWebhooks, type Webhooks } from '../../../main/capabilities/webhooks/index.ts'
import type { WebhooksDeps } from '../../../main/capabilities/webhooks/deps.ts'
import { ApiError, type ErrorCode } from '../../../main/contract/errors.ts'
import type { EventType } from '../../../main/contract/events.ts'
import type { Db, Tx } from '../../../main/kernel/db.ts'
import { createClockJumps, type ClockJumps } from '../../../main/kernel/clock-jumps.ts'
import { createIds, type AccountId, type Ids, type InstanceId } from '../../../main/kernel/ids.ts'
import { createLedger, type Fact } from '../../../main/kernel/ledger.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createOutbound, type OutboundAnswer } from '../../../main/outbound/outbound.ts'
import { createCursors } from '../../../main/kernel/page.ts'
import { createSeal } from '../../../main/kernel/seal.ts'
import { MIGRATIONS } from '../../../main/storage/migrations/index.ts'
import { fakeClock, settle, type FakeClock } from '../../support/clock.ts'
import { openTestStorage, testDatabase, type TestDatabase } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'
import { keepsAccess } from '../../support/access.ts'

export const ACCOUNT = '0197f0c2-0000-7c51-9d2b-000000000001' as AccountId
export const INSTANCE = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60' as InstanceId
export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE

/** One request as the receiver of a webhook sees it. */
export interface Seen {
  readonly name: string
  readonly eventId: string
  readonly attempt: number
  readonly atMs: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly delayMs?: number
  readonly hang?: boolean
}

type Script = (seen: Seen, nth: number) => Reply

/** Webhooks on a real database and ledger; receivers answer inside the process, time stands still until moved. */
export interface WebhookWorld {
  readonly clock: FakeClock
  readonly database: TestDatabase
  readonly seen: Seen[]
  /** Most requests that were open at once, by receiver name. */
  readonly peak: Map<string, number>
  readonly masterKey: { value: Buffer | null }
  db(): Db
  webhooks(): Webhooks
  /** Decides what receivers answer; 200 until told otherwise. */
  answer(script: Script | Reply): void
  hook(name?: string, more?: object, accountId?: AccountId): Promise<{ id: string; secret: string }>
  /** Something happens to an instance: one event, in one commit. */
  happen(more?: Parameters<typeof fact>[0]): Promise<string>
  /** Many events in one go. */
  happenTimes(count: number, more?: { type?: EventType; accountId?: AccountId }): Promise<string[]>
  /** An event whose unit of work fails after it was recorded. */
  happenThenThrow(): Promise<void>
  /** Lets everything that can happen now happen, without time passing. */
  idle(): Promise<void>
  /**
   * Lets time pass, everything due done in its second. Seconds in which nothing is due are skipped.
   * @param everySeconds how often to look while something is due and held back, for tests of many hours.
   */
  pass(ms: number, everySeconds?: number): Promise<void>
  /** The process dies: nothing is recorded any more, and a new one opens the same files. */
  crash(): Promise<void>
  delivery(index?: number): Promise<Awaited<ReturnType<Webhooks['getDelivery']>>>
  hookRow(id: string): Record<string, unknown>
  /** Checks the invariants and cleans up; done after each test for those still open. */
  close(): Promise<void>
}

/** The room on its ledger, as the service would build it. */
export function openRoom(
  needs: Pick<WebhooksDeps, 'db' | 'clock' | 'random' | 'outbound' | 'seal'> & {
    clockJumps?: Pick<ClockJumps, 'check' | 'onJump'>
    ids: Ids
    schedule?: readonly number[]
  },
) {
  const { schedule: retryScheduleSeconds = [10, 60, 600, 2_700, 7_200, 21_600, 43_200] } = needs
  const ledger = createLedger(needs)
  const cursors = createCursors(Buffer.alloc(32, 1))
  const live = { publish() {} }
  const apiActivity = { isRecent: () => true }
  const { clockJumps = { check: () => 0, onJump() {} } } = needs
  const webhooks = createWebhooks({
    ...needs,
    apiActivity,
    clockJumps,
    live,
    writeGate: { isOpen: () => true },
    ledger,
    cursors,
    config: { retryScheduleSeconds },
    log: silentLog,
  })
  return { webhooks, ledger }
}

/** What the ledger is told about an instance of this account. */
export function fact(
  more: { type?: EventType; data?: object; accountId?: AccountId; instanceId?: InstanceId } = {},
): Fact {
  const { type = 'message.received', data = { text: 'Grüße, 世界' }, accountId = ACCOUNT, instanceId = INSTANCE } = more
  return {
    accountId,
    instanceId,
    type,
    data,
    instance: { id: instanceId, external_ref: null, metadata: null, engine: 'smv2' },
  }
}

/** The code a call was refused with. */
export async function codeOf(call: Promise<unknown>): Promise<ErrorCode | 'accepted'> {
  try {
    await call
    return 'accepted'
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}

/** Chores of the room are late by this much at most. */
const MOST_SKIPPED_S = 60
/** A longer silence is taken for a sleep of the machine. */
const UNNOTICED_S = 10

const NEXT_DUE = `SELECT MIN(d.next_attempt_at) AS dueMs FROM deliveries d JOIN webhooks w ON w.seq = d.webhook_seq
  WHERE d.lease IS NULL AND w.state = 'active' AND w.deleted_at IS NULL`

const open = new Set<WebhookWorld>()

afterEach(async () => {
  for (const world of open) await world.close()
})

export async function webhookWorld(
  more: {
    seed?: number
    started?: boolean
    schedule?: readonly number[]
    /** Whether sleep and changes of the clock are noticed, which takes a second timer and so half of the speed. */
    watchesTime?: boolean
    /** Takes the place of the way out, or of parts of it. */
    outbound?: Partial<WebhooksDeps['outbound']>
  } = {},
): Promise<WebhookWorld> {
  const { seed = 1, started = true } = more
  const clock = fakeClock()
  const random = seededRandom(seed)
  const ids = createIds(clock, random)
  const database = await testDatabase(MIGRATIONS, { clock, ids })
  const account = database.raw.prepare('INSERT INTO accounts (id, name, change_at, created_at) VALUES (?, ?, 0, 0)')
  for (const number of [1, 2, 3]) account.run(`0197f0c2-0000-7c51-9d2b-00000000000${number}`, `Account ${number}`)
  const masterKey = { value: Buffer.alloc(32, 7) as Buffer | null }
  const seal = createSeal({ masterKey: { key: () => masterKey.value }, random })
  const seen: Seen[] = []
  const peak = new Map<string, number>()
  const running = new Map<string, number>()
  const nextDue = database.raw.prepare(NEXT_DUE)
  let script: Script = () => ({})
  let db: Db = database.db
  let clockJumps = createClockJumps(clock)
  let current = build(db)

  async function receive(request: {
    url: URL
    headers: Readonly<Record<string, string>>
    body: Buffer
  }): Promise<OutboundAnswer> {
    const name = request.url.pathname.slice(1)
    const body = request.body.toString()
    const { event_id: eventId, attempt } = JSON.parse(body) as { event_id: string; attempt: number }
    const one = { name, eventId, attempt, atMs: clock.now(), headers: request.headers, body }
    seen.push(one)
    const now = (running.get(name) ?? 0) + 1
    running.set(name, now)
    peak.set(name, Math.max(peak.get(name) ?? 0, now))
    const reply = script(one, seen.length)
    // One that hangs notices a moment later that nobody waits any more.
    if (reply.hang || reply.delayMs) await clock.sleep(reply.hang ? 10_000 : (reply.delayMs ?? 0))
    running.set(name, (running.get(name) ?? 1) - 1)
    if (reply.hang) await clock.sleep(SECOND)
    return {
      kind: 'response',
      status: reply.status ?? 200,
      headers: reply.headers ?? {},
      body: Buffer.from(reply.body ?? ''),
      truncated: false,
      remoteIp: null,
    }
  }

  function build(on: Db) {
    clockJumps.close()
    clockJumps = createClockJumps(clock)
    if (more.watchesTime === true) clockJumps.start()
    const outbound = createOutbound({
      clock,
      resolve: () => Promise.reject(new Error('no names here')),
      trustedRanges: [],
    })
    outbound.addResponder('catcher.sandbox', receive)
    const noticed = more.watchesTime === true ? { clockJumps } : {}
    return openRoom({
      ...more,
      ...noticed,
      db: on,
      clock,
      random,
      ids,
      outbound: { ...outbound, ...more.outbound },
      seal,
    })
  }

  const append = (tx: Tx, more?: Parameters<typeof fact>[0]) => current.ledger.append(tx, fact(more))

  async function idle(): Promise<void> {
    let before = ''
    for (let quiet = 0; quiet < 3;) {
      await settle(6)
      const { inFlight, unrecorded } = current.webhooks.worker()
      const now = `${seen.length} ${inFlight} ${unrecorded}`
      quiet = now === before ? quiet + 1 : 0
      before = now
    }
  }

  /** Whole seconds from now in which no tick will find anything due. */
  function secondsWithoutWork(whileHeldBack: number): number {
    const { dueMs } = nextDue.get() as { dueMs: number | null }
    const seconds = Math.ceil(((dueMs ?? Infinity) - clock.now()) / SECOND) - 1
    return Math.min(Math.max(seconds, whileHeldBack), more.watchesTime === true ? UNNOTICED_S : MOST_SKIPPED_S)
  }

  const world: WebhookWorld = {
    clock,
    database,
    seen,
    peak,
    masterKey,
    db: () => db,
    webhooks: () => current.webhooks,
    answer: (next) => void (script = typeof next === 'function' ? next : () => next),
    hook: (name = 'shop', more = {}, accountId = ACCOUNT) =>
      current.webhooks.create(
        accountId,
        { url: `https://catcher.sandbox/${name}`, events: ['*'], ...more },
        keepsAccess,
      ),
    async happen(more) {
      const { eventId } = await db.commit((tx) => append(tx, more))
      return eventId
    },
    async happenTimes(count, more) {
      const made: string[] = []
      for (let left = count; left > 0; left -= 500) {
        const chunk = Math.min(left, 500)
        await db.commit(async (tx) => {
          for (let i = 0; i < chunk; i++) made.push((await append(tx, more)).eventId)
        })
      }
      return made
    },
    happenThenThrow: () =>
      db.commit(async (tx) => {
        await append(tx)
        throw new Error('an accident')
      }),
    idle,
    async pass(ms, everySeconds = 1) {
      await idle()
      for (let left = ms; left > 0;) {
        const second = Math.min(left, SECOND)
        const before = seen.length
        left -= second
        await clock.advance(second)
        const { inFlight, unrecorded } = current.webhooks.worker()
        if (inFlight + unrecorded > 0) await idle()
        else if (seen.length === before)
          left -= clock.skip(Math.min(secondsWithoutWork(everySeconds - 1), Math.floor(left / SECOND)) * SECOND)
      }
      await idle()
    },
    async crash() {
      await db.close()
      db = await openTestStorage({
        file: join(database.dir, 'switchboard.db'),
        migrations: MIGRATIONS,
        ids,
        clock,
        log: silentLog,
      })
      current = build(db)
      await current.webhooks.recover()
    },
    async delivery(index = 0) {
      const { data } = await current.webhooks.listDeliveries(ACCOUNT, { limit: 200 })
      const row = data.toReversed()[index]
      if (!row) throw new Error(`There is no delivery ${index}`)
      return current.webhooks.getDelivery(ACCOUNT, row.id)
    },
    // Looks at the columns themselves; the test says which it expects.
    hookRow: (id) => database.raw.prepare('SELECT * FROM webhooks WHERE id = ?').get(id) as Record<string, unknown>,
    async close() {
      open.delete(world)
      clockJumps.close()
      await current.webhooks.stop(0)
      expect(await checkInvariants(db)).toEqual([])
      await db.close()
      await database.close()
    },
  }

  open.add(world)
  if (started) current.webhooks.start()
  await settle()
  return world
}
