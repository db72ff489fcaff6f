import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createAccounts } from '../../main/capabilities/account/index.ts'
import type { Account } from '../../main/capabilities/account/store.ts'
import { knownInstances } from '../../main/capabilities/instances/index.ts'
import { checkInvariants } from '../../main/capabilities/webhooks/index.ts'
import { readConfig, type Config } from '../../main/config.ts'
import type { EventType } from '../../main/contract/events.ts'
import { SCOPES, type AcceptedScope } from '../../main/contract/scopes.ts'
import type { Clock } from '../../main/kernel/clock.ts'
import { createIds, type AccountId, type Random } from '../../main/kernel/ids.ts'
import { createKeyDerivation } from '../../main/kernel/key-derivation.ts'
import { silentLog, type Log } from '../../main/kernel/log.ts'
import type { Dial, Resolve } from '../../main/outbound/outbound.ts'
import type { Statement } from '../../main/kernel/sql.ts'
import { startService, type Service } from '../../main/service.ts'
import type { MaintenanceProcess } from '../../main/storage/maintenance-process.ts'
import type { Storage } from '../../main/storage/sqlite.ts'
import { bodyTypeOf, holdToDocument, type Heard } from './answers.ts'
import { fakeClock, settle, settleFiles, type FakeClock } from './clock.ts'
import { openTestStorage, placeEmptyDatabase, tempFolder } from './database.ts'
import { seededRandom } from './random.ts'
import { outside, type Receiver } from './receiver.ts'
import { MEDIA_PROGRAM, startTestDocuments } from './media-program.ts'
import { voiceInProcess } from './voice.ts'
import type { VoiceAgents } from '../../main/capabilities/voice/index.ts'
import type { Engine } from '../../main/engines/engine.ts'
import type { GraphSimulator } from '../../main/engines/sandbox/graph/index.ts'
import type { StartVoice } from '../../main/voice/voice-process.ts'
import { memoryVault, type MemoryVault } from './vault.ts'
import { overSocket, payloadOf, rawExchange } from './wire.ts'

export interface WorldOptions {
  /** Default: one that stands still until the test moves it. */
  readonly clock?: Clock
  readonly seed?: number
  readonly random?: Random
  readonly vault?: MemoryVault
  readonly log?: Log
  /** What differs from the settings of a test: sandbox timeline 0, a million requests a minute. */
  readonly settings?: Partial<Config>
  /** What stands outside: only these can be reached. */
  readonly receivers?: readonly Receiver[]
  /** Names of the outside that are no receivers, or that never resolve. */
  readonly resolve?: Resolve
  /** Where checked addresses are reached; default: at the receivers only. */
  readonly dial?: Dial
  /** A home that another world left behind; it is not removed at the end. */
  readonly home?: string
  /** Folder of a built window. */
  readonly consoleFolder?: string
  /** Room on the disk of the home, in bytes; default: more than anybody needs. */
  readonly freeBytes?: () => number
  /** What works on the database in a process of its own; default: copies are made here, and nobody looks through it. */
  readonly maintenanceProcess?: MaintenanceProcess
  /** Starts the voice process; default: one inside this process, with a voice that beeps. */
  readonly startVoice?: StartVoice
  /** The simulated Meta, with the setting graphBaseUrl `sandbox`. */
  readonly onGraph?: (graph: GraphSimulator) => void
  /** Sees the calls of the engines of the simulated network. */
  readonly observeEngine?: (engine: Engine) => Engine
  /** Sees the commits of the service. @param clock as the service sees it. */
  readonly observeStorage?: (storage: Storage, clock: Pick<Clock, 'now'>) => Storage
  /** The agents that talk in calls; default: those of the AI room. */
  readonly voiceAgents?: VoiceAgents
  /** Starts the service again; default: nobody can. */
  readonly restart?: () => void
  /** false for a world whose storage the test breaks. */
  readonly soundAtEnd?: boolean
}

export interface Reply {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The exact body. */
  readonly text: string
  // Answers are read as they come; a test that is wrong about a field fails on it.
  readonly body: any
}

interface Sending {
  /** Default: the world's own key with every scope; null sends none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

interface KeyWish {
  readonly scopes?: readonly AcceptedScope[]
  /** Ids of the only instances it reaches. */
  readonly instances?: readonly string[] | null
  readonly rate?: number
  readonly expiresAtMs?: number
  readonly account?: AccountId
}

interface TestKey {
  readonly id: string
  /** The key itself. */
  readonly key: string
}

/** An event as the ledger recorded it: the envelope of a first attempt. */
export interface RecordedEvent {
  readonly event_id: string
  readonly type: EventType
  readonly attempt: number
  readonly created_at: string
  readonly account_id: string
  readonly instance: { id: string; external_ref: string | null; metadata: object | null; engine: string }
  readonly data: Record<string, any>
}

/** Where the ledger stood. */
type Mark = number

/** The whole service in this process, with everything replaced that is outside of it. */
export interface World {
  readonly service: Service
  readonly clock: FakeClock
  readonly vault: MemoryVault
  readonly home: string
  /** The first account, and its key with every scope. */
  readonly account: Account
  readonly allScopes: string
  /** `127.0.0.1:port`, as it stands in the Host header. */
  readonly host: string
  /** One request through the door without a socket. Every answer is held against the API document. */
  api(method: string, path: string, body?: unknown, sending?: Sending): Promise<Reply>
  /** The same through a real socket, where Node itself has a say. */
  wire(method: string, path: string, body?: unknown, sending?: Sending): Promise<Reply>
  /** Writes bytes on a socket and reads until the service closes it. */
  raw(bytes: string | Buffer): Promise<string>
  key(wish?: KeyWish): Promise<TestKey>
  /** Another account, with a key of its own that has every scope. */
  stranger(): Promise<{ account: Account; key: string }>
  instance(body?: object): Promise<any>
  /** An smv2 instance whose phone has scanned the code. */
  pair(number?: string, body?: object): Promise<any>
  /** An official instance that is onboarded. */
  official(number?: string, body?: object): Promise<any>
  /** What the catcher of this name received, oldest first. */
  caught(name: string): Promise<Caught[]>
  events(): Promise<RecordedEvent[]>
  mark(): Promise<Mark>
  /** Everything that happened since, after all that can happen now has happened. */
  eventsSince(mark: Mark): Promise<RecordedEvent[]>
  typesSince(mark: Mark): Promise<EventType[]>
  /** Lets all that can happen now happen, without time passing. */
  quiet(): Promise<void>
  /** Lets time pass second by second, everything due done in each. */
  pass(ms: number): Promise<void>
  rows<R extends object>(text: string, params?: object): Promise<R[]>
  close(): Promise<void>
}

export interface Caught {
  readonly received_at: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signature: 'valid' | 'invalid' | 'none'
}

/** Many times what any test needs; past it something waits that nothing will bring. */
const MOST_TURNS = 5_000
const FIRST_NUMBER = 12_025_550_100

/** Builds the real service in a folder of its own and gives it a caller. Closed by the test that opened it, or by `close`. */
export async function world(options: WorldOptions = {}): Promise<World> {
  const { settings = {}, receivers = [], seed = 1, log = silentLog, soundAtEnd = true } = options
  const clock = options.clock ?? fakeClock()
  const random = options.random ?? seededRandom(seed)
  const vault = options.vault ?? memoryVault()
  const home = options.home ?? tempFolder()
  if (readdirSync(home).length === 0) await placeEmptyDatabase(join(home, 'switchboard.db'))
  const config = { ...settingsOfTests(home), ...settings }
  const { resolve, dial: dialReceivers } = outside(...receivers)
  const { dial = dialReceivers } = options
  const { consoleFolder, maintenanceProcess = null, restart, freeBytes = () => 1e12 } = options
  const service = await startService({
    ...{
      clock,
      random,
      config,
      log,
      maintenanceProcess,
      mediaProgram: MEDIA_PROGRAM,
      startDocuments: startTestDocuments,
      vault,
      dial,
      resolve: options.resolve ?? resolve,
    },
    freeBytes: async () => freeBytes(),
    async openStorage(deps) {
      const opened = await openTestStorage(deps)
      return options.observeStorage?.(opened, deps.clock) ?? opened
    },
    startVoice: options.startVoice ?? voiceInProcess(clock),
    ...(options.voiceAgents !== undefined && { voiceAgents: options.voiceAgents }),
    ...(options.observeEngine !== undefined && { observeEngine: options.observeEngine }),
    ...(options.onGraph !== undefined && { onGraph: options.onGraph }),
    ...(restart !== undefined && { restart }),
    ...(consoleFolder !== undefined && { consoleFolder }),
  })
  const { db, door, url } = service
  const host = url.slice('http://'.length)

  const accounts = createAccounts({
    keyDerivation: createKeyDerivation(),
    db,
    clock,
    // Ids of its own: two makers that share a seed would make the same ones.
    ids: createIds(clock, seededRandom(seed + 1_000_003)),
    random: seededRandom(seed + 2_000_003),
    ratePerMinute: config.ratePerMinute,
    knownInstances: knownInstances(db),
  })
  const account = await accounts.ensureOperatorAccount()

  async function key(wish: KeyWish = {}): Promise<TestKey> {
    const { scopes = SCOPES, instances = null, rate = null, expiresAtMs = null, account: accountId = account.id } = wish
    const made = await accounts.createKey({
      ...{ accountId, name: 'Test', scopes, allowedInstanceIds: instances, expiresAtMs, ratePerMinute: rate },
    })
    return { id: made.id, key: made.key.open() }
  }
  const allScopes = (await key()).key

  const headersOf = (
    method: string,
    path: string,
    body: unknown,
    { key: token = allScopes, headers = {} }: Sending,
  ) => ({
    host,
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': bodyTypeOf(method, path) }),
    ...headers,
  })

  const judged = (method: string, path: string, heard: Heard): Reply => {
    holdToDocument(method, path, heard)
    const { status, headers, text } = heard
    const isJson = headers['content-type']?.startsWith('application/json') === true
    return { status, headers, text, body: text !== '' && isJson ? JSON.parse(text) : undefined }
  }

  const api: World['api'] = async (method, path, body, sending = {}) => {
    const answer = await door.app.inject({
      method: method as 'GET',
      url: path,
      headers: headersOf(method, path, body, sending),
      ...(body === undefined ? {} : { payload: payloadOf(body) }),
    })
    return judged(method, path, {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
      text: answer.body,
    })
  }

  const must = async (method: string, path: string, body?: object): Promise<any> => {
    const answer = await api(method, path, body)
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    return answer.body
  }

  const rows = async <R extends object>(text: string, params: object = {}) =>
    db.read<object, R>(statementOf<R>(text), params)

  const events = async (after: Mark = 0) => {
    const found = await rows<{ head: string; tail: string }>(EVENTS, { after })
    return found.map(({ head, tail }) => JSON.parse(`${head}1${tail}`) as RecordedEvent)
  }

  let idle = ''
  async function quiet(): Promise<void> {
    for (let calm = 0, turns = 0; calm < 3; turns++) {
      await settle(3)
      const [pulse] = await rows<{ due: number; events: number }>(PULSE, { now: clock.now() })
      const now = JSON.stringify(pulse)
      calm = pulse?.due === 0 && now === idle ? calm + 1 : 0
      idle = now
      if (turns > MOST_TURNS) throw new Error(`the world does not come to rest: ${now}`)
    }
  }

  let numbers = 0
  const nextNumber = () => String(FIRST_NUMBER + numbers++)

  async function connected(id: string): Promise<any> {
    await quiet()
    const record = await must('GET', `/v1/instances/${id}`)
    expect(record.status).toBe('connected')
    return record
  }

  const made: World = {
    service,
    // A world with a clock of its own has nobody who asks for this one.
    clock: clock as FakeClock,
    vault,
    home,
    account,
    allScopes,
    host,
    api,
    async wire(method, path, body, sending = {}) {
      return judged(method, path, await overSocket(url, method, path, headersOf(method, path, body, sending), body))
    },
    raw: (bytes) => rawExchange(host, bytes),
    key,
    async stranger() {
      const other = await accounts.createAccount('Another agency')
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
    async caught(name) {
      await quiet()
      const { data, has_more } = await must('GET', `/v1/sandbox/catcher/${name}?limit=200`)
      expect(has_more).toBe(false)
      return data.toReversed()
    },
    events: () => events(),
    async mark() {
      await quiet()
      const [last] = await rows<{ seq: number }>('SELECT COALESCE(MAX(seq), 0) AS seq FROM events')
      return last?.seq ?? 0
    },
    async eventsSince(mark) {
      await quiet()
      return events(mark)
    },
    typesSince: async (mark) => (await made.eventsSince(mark)).map(({ type }) => type),
    quiet,
    async pass(ms) {
      await quiet()
      for (let left = ms; left > 0; left -= 1_000) {
        await made.clock.advance(Math.min(left, 1_000))
        await settleFiles()
        await quiet()
      }
    },
    rows,
    close: () => (closing ??= close()),
  }

  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    if (soundAtEnd) expect(await checkInvariants(db)).toEqual([])
    await accounts.close()
    if (!('advance' in clock)) await service.close()
    else {
      await inPassing(made.clock, service.close(), CLOSING_MS)
      expect(made.clock.waiting(), 'timers left behind').toBe(0)
    }
    if (options.home === undefined) rmSync(home, { recursive: true, force: true })
  }
  return made
}

const statements = new Map<string, Statement<object, any>>()

/** One for each text, so that it is prepared once; not declared, so that no other database prepares it. */
function statementOf<R extends object>(text: string): Statement<object, R> {
  const known = statements.get(text) ?? { text }
  statements.set(text, known)
  return known as Statement<object, R>
}

/** On a busy machine closing takes real time, in which hours of the clock would pass otherwise. */
const CLOSING_MS = 5

/**
 * Resolves with what was begun. Somebody may be waiting in it for time to pass, and then it does.
 * @param realMs for each second of the clock.
 */
export async function inPassing<T>(clock: Pick<FakeClock, 'advance'>, begun: Promise<T>, realMs = 0): Promise<T> {
  const state = { isOver: false }
  const end = () => void (state.isOver = true)
  begun.then(end, end)
  for (let turns = 0; !state.isOver; turns++) {
    await settle(2)
    if (turns <= 30) continue
    if (realMs > 0) await new Promise((resolve) => setTimeout(resolve, realMs))
    await clock.advance(1_000)
  }
  return begun
}

/** A world that ends with the test that asks for it. */
export async function worldOfTest(options: WorldOptions = {}): Promise<World> {
  const made = await world(options)
  onTestFinished(() => made.close())
  return made
}

/** The settings as a user would give them; a home folder is the only one that must be. */
function settingsOfTests(home: string): Config {
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
  // Time flies here, and a copy for each hour of it would take longer than the test.
  // Nor does a test write 64 MB before it begins, or a log that nobody reads.
  return { ...readConfig(machine), anonymousRatePerMinute: 1_000_000, backups: 'off', reserveMb: 0, logFiles: 0 }
}

const EVENTS = 'SELECT head, tail FROM events WHERE seq > :after ORDER BY seq'

/**
 * What is to happen now: signals due, deliveries under way, fresh deliveries due for those who listen. Retries that fell
 * due within this second are found by the next look at the clock, so they are not waited for.
 */
const PULSE = `SELECT
  (SELECT COUNT(*) FROM sandbox_timeline WHERE held = 0 AND due_at <= :now)
  + (SELECT COUNT(*) FROM deliveries d JOIN webhooks w ON w.seq = d.webhook_seq
      JOIN accounts a ON a.id = w.account_id AND a.status = 'active'
      WHERE d.lease IS NOT NULL
         OR (d.lane = 0 AND d.next_attempt_at <= :now AND w.state = 'active' AND w.deleted_at IS NULL))
  + (SELECT COUNT(*) FROM instance_webhook_calls c JOIN instances i ON i.id = c.instance_id
      JOIN accounts a ON a.id = i.account_id AND a.status = 'active'
      WHERE c.lease IS NOT NULL OR c.next_try_at <= :now) AS due,
  (SELECT COALESCE(SUM(attempts), 0) FROM deliveries) AS attempts,
  (SELECT COUNT(*) FROM events) AS events,
  (SELECT COUNT(*) FROM sandbox_caught) AS caught`
