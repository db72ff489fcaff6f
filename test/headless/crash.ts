import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { checkInvariants } from '../../main/capabilities/webhooks/index.ts'
import { systemClock } from '../../main/kernel/clock.ts'
import { createIds, systemRandom } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { MIGRATIONS } from '../../main/storage/migrations/index.ts'
import { openStorage } from '../../main/storage/sqlite.ts'
import { seededRandom } from '../support/random.ts'
import { catchEverything, caught, everyPage, pairedInstance, type CaughtRequest } from '../support/sandbox.ts'
import {
  later,
  pause,
  testHome,
  until,
  type Api,
  type RunningService,
  type TestHome,
} from '../support/service-process.ts'

/** How much is sent, and how often the service is killed meanwhile. */
export interface CrashSize {
  readonly keys: number
  readonly killsWhileSending: number
  readonly killsWhileDelivering: number
}

/** Keys in use at the same time, each by two independent clients. */
const KEYS_AT_ONCE = 16
const FROZEN_MS = 1_500
const OURS = '12025550100'
const CUSTOMERS = ['12025551001', '12025551002', '12025551003', '12025551004', '12025551005']
/** Sends to it get no answer; the network has them in its journal, and shows that later. */
const SILENT = '12025560504'
const SILENT_EVERY = 50
const PHONES = [...CUSTOMERS, SILENT]

/** What becomes of a message: after the silence only its arrival is confirmed. */
const courseTo = (number: string) => (number === SILENT ? ['sent', 'delivered'] : ['sent', 'delivered', 'read'])
/** The most deliveries a crash may repeat: those in flight and those whose result is not on disk. */
const REPEATS_PER_KILL = 64 + 64

/** Part of the test's title, so that a failure can be repeated. */
export const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const random = seededRandom(SEED)
const between = (least: number, most: number) => least + random.fraction() * (most - least)

interface MessageRecord {
  readonly message_id: string
  readonly idempotency_key: string
  readonly to: string
  readonly status: string
}

interface Envelope {
  readonly event_id: string
  readonly type: string
  readonly attempt: number
  readonly data: { readonly message_id?: string }
}
const envelope = ({ body }: CaughtRequest) => JSON.parse(body) as Envelope

/**
 * Sends and delivers while the service is killed at random moments, and checks afterwards that nothing was lost and
 * nothing repeated.
 */
export async function surviveKills(size: CrashSize): Promise<void> {
  const home = testHome()
  try {
    await sendAndKill(home, size)
  } finally {
    await home.remove()
  }
}

async function sendAndKill(home: TestHome, size: CrashSize): Promise<void> {
  home.write({
    send_timeout_ms: 500,
    'sandbox.timeline_ms': [2, 10, 60, 400],
    retry_schedule_s: [0.2, 0.2, 0.5, 0.5, 1, 1, 1],
  })
  const { key } = await home.key('Crash')
  const victim = await createVictim(home, key)
  const instance = await pairedInstance(victim.api, OURS)
  const { secret } = await catchEverything(victim.api, 'crash', { max_in_flight: 64 })

  const sends = startSends(victim, instance, size)
  await Promise.all([sends.done, disturb(victim, sends, size)])
  await killWhileDelivering(victim, size)
  await until('every delivery is settled', () => isQuiet(victim.api), 60_000)

  const { acknowledged } = sends
  const requests = await caught(victim.api, 'crash')
  const records = await eachOf([...acknowledged], ([, id]) =>
    get(victim.api, `/v1/instances/${instance}/messages/${id}`),
  )
  const onPhones = await Promise.all(
    PHONES.map((number) => everyPage<{ text: string }>(victim.api, `/v1/sandbox/phones/${number}/messages`)),
  )
  expect(await victim.stop()).toBe(0)

  checkSends(sends, records, size)
  checkPhones(onPhones.flat(), acknowledged)
  const repeated = checkRequests(requests, records, secret)
  expect(repeated).toBeLessThanOrEqual(victim.kills() * REPEATS_PER_KILL)
  const stored = await checkDatabase(home, requests, acknowledged)
  expect(stored.interrupted).toBeLessThanOrEqual(victim.kills() * REPEATS_PER_KILL)
  process.stdout.write(
    `SEED=${SEED}: ${victim.kills()} kills, ${sends.answers()}, ${requests.length} requests for ${stored.events} events, ` +
      `${repeated} repeated with a higher attempt, ${stored.interrupted} interrupted, recovery at most ${victim.slowestStartMs()} ms\n`,
  )
}

/** The service under test, whichever process it is at the moment. */
interface Victim {
  readonly api: Api
  kill(): Promise<void>
  freeze(): Promise<void>
  stop(): Promise<number | null>
  kills(): number
  slowestStartMs(): number
}

async function createVictim(of: TestHome, key: string): Promise<Victim> {
  let kills = 0
  let slowestStartMs = 0
  let minutesLater = 0
  let service: Promise<RunningService> = start()

  async function start(): Promise<RunningService> {
    const startedAt = performance.now()
    const launched = of.launch(later(minutesLater))
    const running = await launched.listening
    slowestStartMs = Math.max(slowestStartMs, Math.round(performance.now() - startedAt))
    return running
  }

  /** One that is killed before it listens. */
  async function startInVain(): Promise<void> {
    const launched = of.launch(later(minutesLater))
    launched.listening.catch(() => {})
    await pause(between(50, 400))
    await launched.end('SIGKILL')
    kills++
  }

  async function kill(): Promise<void> {
    const killed = await service
    await killed.end('SIGKILL')
    kills++
    // A minute proves that a send which was cut off never went out, and its key is free again.
    minutesLater++
    service = (async () => {
      if (random.fraction() < 0.3) await startInVain()
      return start()
    })()
    await service
  }

  await service
  return {
    api: async (...request) => (await service).api(key)(...request),
    kill,
    async freeze() {
      const frozen = await service
      frozen.signal('SIGSTOP')
      await pause(FROZEN_MS)
      frozen.signal('SIGCONT')
    },
    stop: async () => (await service).end('SIGTERM'),
    kills: () => kills,
    slowestStartMs: () => slowestStartMs,
  }
}

interface Sends {
  readonly done: Promise<unknown>
  /** Idempotency-Key → message_id of its 201. */
  readonly acknowledged: ReadonlyMap<string, string>
  /** Keys whose two clients were told two ids; must stay empty. */
  readonly contradicted: ReadonlySet<string>
  /** What the clients were answered, counted. */
  answers(): string
}

function startSends({ api }: Victim, instance: string, size: CrashSize): Sends {
  const acknowledged = new Map<string, string>()
  const contradicted = new Set<string>()
  const answers: Record<string, number> = {}
  const count = (answer: string) => (answers[answer] = (answers[answer] ?? 0) + 1)

  /** An impatient client: it repeats the same send until it has its 201, whatever happens. */
  async function client(key: string, to: string): Promise<void> {
    for (;;) {
      const sent = await api(
        'POST',
        `/v1/instances/${instance}/messages`,
        { to, text: key },
        { 'idempotency-key': key },
      ).catch(() => null)
      if (sent?.status === 201) {
        count(sent.headers.get('idempotent-replayed') === 'true' ? '201 replayed' : '201')
        const id: string = sent.body.message_id
        if (acknowledged.has(key) && acknowledged.get(key) !== id) contradicted.add(key)
        acknowledged.set(key, id)
        return
      }
      count(sent === null ? 'no answer' : `${sent.status} ${sent.body.error.code}`)
      await pause(50)
    }
  }

  const keys = Array.from({ length: size.keys }, (_, index) => `order-${index}`)
  const done = atOnce(KEYS_AT_ONCE, keys, async (key, index) => {
    const to = index % SILENT_EVERY === 0 ? SILENT : (CUSTOMERS[index % CUSTOMERS.length] ?? '')
    await Promise.all([client(key, to), client(key, to)])
  })
  return {
    done,
    acknowledged,
    contradicted,
    answers: () =>
      Object.entries(answers)
        .map(([what, times]) => `${times} × ${what}`)
        .join(', '),
  }
}

/** Kills at random moments spread over all sends, and freezes once for longer than any request should take. */
async function disturb(victim: Victim, { acknowledged }: Sends, size: CrashSize): Promise<void> {
  const { keys, killsWhileSending } = size
  const share = (keys * 0.95) / killsWhileSending
  const moments = Array.from({ length: killsWhileSending }, (_, nth) => share * between(nth, nth + 1))
  const frozenAt = Math.floor(between(1, killsWhileSending))
  for (const [nth, moment] of moments.entries()) {
    while (acknowledged.size < moment) await pause(2)
    if (nth === frozenAt) await victim.freeze()
    await pause(between(0, 40))
    await victim.kill()
  }
}

async function killWhileDelivering(victim: Victim, size: CrashSize): Promise<void> {
  for (let nth = 0; nth < size.killsWhileDelivering; nth++) {
    await pause(between(20, 300))
    await victim.kill()
  }
}

/** Nothing is queued at the network, on its way to its status, or owed to the webhook. */
async function isQuiet(api: Api): Promise<true | undefined> {
  for (const status of ['pending', 'failed']) {
    const { body } = await api('GET', `/v1/webhooks/deliveries?status=${status}&limit=200`)
    if (body.data.some((delivery: { next_attempt_at: string | null }) => delivery.next_attempt_at !== null))
      return undefined
  }
  const { body } = await api('GET', `/v1/instances?limit=1`)
  const health = await api('GET', `/v1/instances/${body.data[0].id}/health`)
  const last = await Promise.all(PHONES.map((number) => api('GET', `/v1/sandbox/phones/${number}/messages?limit=1`)))
  const reads = await Promise.all(
    last.map(({ body: page }) => api('GET', `/v1/instances/${body.data[0].id}/messages/${page.data[0].message_id}`)),
  )
  return health.body.queue.pending === 0 && reads.every(({ body: read }) => read.status === courseTo(read.to).at(-1))
    ? true
    : undefined
}

function checkSends({ acknowledged, contradicted }: Sends, records: readonly MessageRecord[], size: CrashSize): void {
  expect(acknowledged.size).toBe(size.keys)
  expect([...contradicted], 'keys with two message ids').toEqual([])
  expect(new Set(acknowledged.values()).size).toBe(size.keys)
  expect(records.filter(({ status, to }) => status !== courseTo(to).at(-1))).toEqual([])
  expect(records.map((record) => [record.idempotency_key, record.message_id])).toEqual([...acknowledged])
}

function checkPhones(messages: readonly { text: string }[], acknowledged: ReadonlyMap<string, string>): void {
  expect(messages.map(({ text }) => text).toSorted()).toEqual([...acknowledged.keys()].toSorted())
}

/** @returns how many requests came besides the first of each event. */
function checkRequests(requests: readonly CaughtRequest[], records: readonly MessageRecord[], secret: string): number {
  const attempts = new Map<string, number[]>()
  for (const request of requests) {
    const { event_id: id, attempt } = envelope(request)
    expect(request.signature).toBe('valid')
    expect(request.headers['x-service-signature']).toBe(sign(secret, request))
    expect(request.headers['x-service-attempt']).toBe(String(attempt))
    attempts.set(id, [...(attempts.get(id) ?? []), attempt])
  }
  for (const [id, seen] of attempts) expect(seen, id).toEqual([...new Set(seen)].toSorted((a, b) => a - b))
  const events = new Map(requests.map(envelope).map((event) => [event.event_id, event]))
  const told = [...events.values()].filter(({ type }) => /^message\.(sent|delivered|read)$/.test(type))
  const owed = records.flatMap(({ message_id: id, to }) => courseTo(to).map((status) => `message.${status} ${id}`))
  expect(told.map(({ type, data }) => `${type} ${data.message_id}`).toSorted()).toEqual(owed.toSorted())
  return requests.length - attempts.size
}

function sign(secret: string, { headers, body }: CaughtRequest): string {
  return `sha256=${createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.${body}`).digest('hex')}`
}

/** What the stopped service left on disk agrees with what was seen from outside. */
async function checkDatabase(
  home: TestHome,
  requests: readonly CaughtRequest[],
  acknowledged: ReadonlyMap<string, string>,
): Promise<{ events: number; interrupted: number }> {
  const file = join(home.dir, 'switchboard.db')
  const ids = createIds(systemClock, systemRandom)
  const db = await openStorage({ file, migrations: MIGRATIONS, ids, clock: systemClock, log: silentLog })
  expect(await checkInvariants(db)).toEqual([])
  await db.close()

  const raw = new Database(file, { readonly: true })
  expect(raw.pragma('quick_check', { simple: true })).toBe('ok')
  expect(raw.pragma('foreign_key_check')).toEqual([])
  const column = (text: string) => raw.prepare(text).pluck().all()
  const owed = column('SELECT e.event_id FROM deliveries d JOIN events e ON e.seq = d.event_seq')
  const delivered = column(
    "SELECT e.event_id FROM deliveries d JOIN events e ON e.seq = d.event_seq WHERE d.status = 'delivered'",
  )
  expect(
    column(
      'SELECT type FROM events WHERE seq NOT IN (SELECT event_seq FROM deliveries) AND seq > (SELECT MIN(event_seq) FROM deliveries)',
    ),
    'events without their delivery',
  ).toEqual([])
  const seen = new Set(requests.map((request) => envelope(request).event_id))
  expect(new Set(delivered)).toEqual(new Set(owed))
  expect(seen).toEqual(new Set(owed))
  // What was cut off before it went out has failed, and its key was used again.
  expect(column("SELECT id FROM messages WHERE status <> 'failed'").toSorted()).toEqual(
    [...acknowledged.values()].toSorted(),
  )
  const tried = new Set(
    column(
      "SELECT e.event_id || ' ' || a.attempt FROM delivery_attempts a JOIN deliveries d ON d.seq = a.delivery_seq JOIN events e ON e.seq = d.event_seq",
    ),
  )
  expect(requests.map(envelope).filter(({ event_id: id, attempt }) => !tried.has(`${id} ${attempt}`))).toEqual([])
  const [interrupted] = column("SELECT COUNT(*) FROM delivery_attempts WHERE outcome = 'interrupted'") as number[]
  raw.close()
  return { events: seen.size, interrupted: interrupted ?? 0 }
}

const get = async (api: Api, path: string): Promise<MessageRecord> => (await api('GET', path)).body

const eachOf = async <T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = []
  await atOnce(16, items, async (item, index) => void (results[index] = await act(item)))
  return results
}

/** Works through the items, so many at a time. */
async function atOnce<T>(
  most: number,
  items: readonly T[],
  act: (item: T, index: number) => Promise<unknown>,
): Promise<void> {
  const waiting = items.entries()
  await Promise.all(
    Array.from({ length: most }, async () => {
      for (const [index, item] of waiting) await act(item, index)
    }),
  )
}
