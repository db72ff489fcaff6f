import { rmSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import { createAccounts } from '../../main/capabilities/account/index.ts'
import { insertAccount, type Account } from '../../main/capabilities/account/store.ts'
import { knownInstances } from '../../main/capabilities/instances/index.ts'
import { readConfig } from '../../main/config.ts'
import { SCOPES, type ScopeWord } from '../../main/contract/scopes.ts'
import { createIds, type AccountId } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { sql } from '../../main/kernel/sql.ts'
import { startService } from '../../main/service.ts'
import { fakeClock, settle, type FakeClock } from './clock.ts'
import { tempFolder } from './database.ts'
import { seededRandom } from './random.ts'
import { memoryVault, type MemoryVault } from './vault.ts'

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers are read as they come; a test that is wrong about a field fails on it
type Body = any

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Body
}

interface RecordedEvent {
  readonly type: string
  readonly instance: { readonly id: string }
  readonly data: Record<string, Body>
}

/** The whole service in this process, and callers at its door. */
export interface House {
  readonly home: string
  readonly vault: MemoryVault
  readonly clock: FakeClock
  /** One request through the door. @param sending.key default: a key with every scope; null sends none. */
  api(method: string, path: string, body?: unknown, sending?: { key?: string | null }): Promise<Reply>
  key(wish?: {
    scopes?: readonly ScopeWord[]
    instances?: readonly string[]
    account?: AccountId
  }): Promise<{ key: string }>
  /** Another account, with a key of its own that has every scope. */
  stranger(): Promise<{ account: Account; key: string }>
  instance(body?: object): Promise<Body>
  /** An smv2 instance whose phone has scanned the code. */
  pair(number?: string, body?: object): Promise<Body>
  /** An official instance that is onboarded. */
  official(number?: string, body?: object): Promise<Body>
  /** Where the ledger stands, once all that can happen now has happened. */
  mark(): Promise<number>
  eventsSince(mark: number): Promise<RecordedEvent[]>
  typesSince(mark: number): Promise<string[]>
  /** Ends the service and keeps its home, once. */
  stop(): Promise<void>
  close(): Promise<void>
}

let houses = 0
const FIRST_NUMBER = 12_025_550_100

/** @param options home and vault that another house left behind; by default it gets its own, which end with the test. */
export async function houseOfTest(options: { home?: string; vault?: MemoryVault } = {}): Promise<House> {
  const made = await house(options)
  onTestFinished(() => made.close())
  return made
}

async function house(options: { home?: string; vault?: MemoryVault }): Promise<House> {
  const clock = fakeClock()
  const { home = tempFolder(), vault = memoryVault() } = options
  const flags = [
    '--home',
    home,
    '--port',
    '0',
    '--rate-limit-per-minute',
    '1000000',
    '--sandbox-timeline-ms',
    '0,0,0,0',
  ]
  const machine = { argv: flags, env: {}, platform: process.platform, homedir: home, readFile: () => null }
  const config = readConfig(machine)
  const service = await startService({ clock, random: seededRandom(houses), config, log: silentLog, vault })
  const { db, door, url } = service
  // Ids and keys of its own, also in a home that was used before.
  const seed = ++houses * 1_000
  const accounts = createAccounts({
    ...{ db, clock, ids: createIds(clock, seededRandom(seed + 1)), random: seededRandom(seed + 2) },
    ...{ ratePerMinute: config.ratePerMinute, knownInstances: knownInstances(db) },
  })
  const account = await accounts.ensureAccount()

  const key: House['key'] = async ({ scopes = SCOPES, instances, account: accountId = account.id } = {}) => {
    const wish = { accountId, name: 'Test', scopes, allowedInstanceIds: instances ?? null, expiresAtMs: null }
    return { key: (await accounts.createKey(wish)).key.open() }
  }
  const everything = (await key()).key

  const api: House['api'] = async (method, path, body, { key: token = everything } = {}) => {
    const answer = await door.app.inject({
      method: method as 'GET',
      url: path,
      headers: {
        host: url.slice('http://'.length),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
    const text = answer.body
    return { status: answer.statusCode, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
  }

  const must = async (method: string, path: string, body?: object): Promise<Body> => {
    const answer = await api(method, path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body
  }

  /** Signals due now, told and answered by whatever they cause. */
  async function quiet(): Promise<void> {
    for (let calm = 0; calm < 3;) {
      await settle(3)
      const [pulse] = await db.read(DUE, { now: clock.now() })
      calm = pulse?.due === 0 ? calm + 1 : 0
    }
  }

  let stopping: Promise<void> | undefined
  const stop = async () => {
    await accounts.close()
    await service.close()
  }

  let numbers = 0
  const nextNumber = () => String(FIRST_NUMBER + numbers++)

  const connected = async (id: string): Promise<Body> => {
    await quiet()
    const record = await must('GET', `/v1/instances/${id}`)
    expect(record.status).toBe('connected')
    return record
  }

  const made: House = {
    home,
    vault,
    clock,
    api,
    key,
    async stranger() {
      const other = { id: createIds(clock, seededRandom(seed + 3 + numbers++)).account(), name: 'Another agency' }
      await db.commit((tx) => tx.run(insertAccount, { ...other, now: clock.now() }))
      return { account: other, key: (await key({ account: other.id })).key }
    },
    instance: (body = {}) => must('POST', '/v1/instances', body),
    async pair(number = nextNumber(), body = {}) {
      const { id } = await must('POST', '/v1/instances', body)
      const { pairing_code } = await must('GET', `/v1/instances/${id}/qr`)
      await must('POST', `/v1/sandbox/phones/${number}/scan`, { pairing_code })
      return connected(id)
    },
    async official(number = nextNumber(), body = {}) {
      const { id } = await must('POST', '/v1/instances', { engine: 'official', ...body })
      await must('POST', `/v1/sandbox/instances/${id}/onboard`, { number })
      return connected(id)
    },
    async mark() {
      await quiet()
      const [last] = await db.read(LAST_EVENT, {})
      return last?.seq ?? 0
    },
    async eventsSince(mark) {
      await quiet()
      const found = await db.read(EVENTS, { after: mark })
      return found.map(({ head, tail }) => JSON.parse(`${head}1${tail}`) as RecordedEvent)
    },
    typesSince: async (mark) => (await made.eventsSince(mark)).map(({ type }) => type),
    stop: () => (stopping ??= stop()),
    async close() {
      await made.stop()
      if (options.home === undefined) rmSync(home, { recursive: true, force: true })
    },
  }
  return made
}

const DUE = sql<{ now: number }, { due: number }>(
  'SELECT COUNT(*) AS due FROM sandbox_timeline WHERE held = 0 AND due_at <= :now',
)
const LAST_EVENT = sql<Record<never, never>, { seq: number }>('SELECT COALESCE(MAX(seq), 0) AS seq FROM events')
const EVENTS = sql<{ after: number }, { head: string; tail: string }>(
  'SELECT head, tail FROM events WHERE seq > :after ORDER BY seq',
)
