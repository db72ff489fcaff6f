import { join } from 'node:path'
import { createAccounts } from '../../../main/capabilities/account/index.ts'
import { createFusion } from '../../../main/capabilities/fusion/index.ts'
import { createInstances, type Instances } from '../../../main/capabilities/instances/index.ts'
import type { SendBody } from '../../../main/capabilities/messages/contract.ts'
import { decodeKeyHeader } from '../../../main/capabilities/messages/key-header.ts'
import {
  createMessages,
  sendAnswer,
  type Messages,
  type SendResult,
} from '../../../main/capabilities/messages/index.ts'
import type { MediaSource } from '../../../main/capabilities/messages/media.ts'
import { createCosts } from '../../../main/capabilities/costs/index.ts'
import { createUsage } from '../../../main/capabilities/usage/index.ts'
import { createSafety } from '../../../main/capabilities/safety/index.ts'
import { readConfig } from '../../../main/config.ts'
import { ApiError } from '../../../main/contract/errors.ts'
import type { SendOrigin } from '../../../main/contract/send-origin.ts'
import type { Notice } from '../../../main/contract/notice.ts'
import type { Source } from '../../../main/contract/shapes.ts'
import type { Accepted, Departure, Engine, Outgoing, SendOutcome } from '../../../main/engines/engine.ts'
import type { Db } from '../../../main/kernel/db.ts'
import { createFiles } from '../../../main/kernel/files.ts'
import { createIdempotency } from '../../../main/kernel/idempotency.ts'
import { createIds, type AccountId, type InstanceId, type MessageId } from '../../../main/kernel/ids.ts'
import { createKeyDerivation } from '../../../main/kernel/key-derivation.ts'
import { createLedger } from '../../../main/kernel/ledger.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import type { MediaConverter } from '../../../main/kernel/media-converter.ts'
import { createCursors } from '../../../main/kernel/page.ts'
import { MIGRATIONS } from '../../../main/storage/migrations/index.ts'
import type { Storage } from '../../../main/storage/sqlite.ts'
import { fakeClock, settle, type FakeClock } from '../../support/clock.ts'
import { openTestStorage, testDatabase, type TestDatabase } from '../../support/database.ts'
import { scriptedEngine as silentEngine } from '../../support/engine.ts'
import { testJobs } from '../../support/jobs.ts'
import { seededRandom } from '../../support/random.ts'

const SETTINGS = readConfig({ argv: [], env: {}, platform: 'linux', homedir: '/', readFile: () => null })

export const INSTANCE = '0197f0c2-0000-7000-8000-000000000001' as InstanceId
export const OTHER_INSTANCE = '0197f0c2-0000-7000-8000-000000000002' as InstanceId
export const THIRD_INSTANCE = '0197f0c2-0000-7000-8000-000000000003' as InstanceId
const INSTANCES = [INSTANCE, OTHER_INSTANCE, THIRD_INSTANCE]

/** An engine whose sends end as the test says. */
interface SendingEngine extends Engine {
  /** What it was asked to send, in order. */
  readonly asked: { instanceId: string; messageId: MessageId; out: Outgoing }[]
  /** Decides the outcome of the sends that follow. */
  plan: (messageId: MessageId, out: Outgoing, departure: Departure) => Promise<SendOutcome>
  found: 'arrived' | 'never_arrived' | 'cannot_tell'
  /** Whether sends get as far as the first byte, which is marked. */
  leaves: boolean
}

export const accepted = (engineMessageId: string, status: Accepted['status'] = 'sent'): SendOutcome => ({
  kind: 'accepted',
  engineMessageId,
  status,
})

function sendingEngine(storage: () => Db): SendingEngine {
  let count = 0
  const engine: SendingEngine = {
    ...silentEngine(),
    resume: async () => 'connected',
    asked: [],
    plan: async () => accepted(`3EB0${String(++count).padStart(6, '0')}`),
    found: 'cannot_tell',
    leaves: true,
    async send(instance, messageId, out, departure) {
      engine.asked.push({ instanceId: instance.id, messageId, out })
      if (engine.leaves) await storage().commit(departure.leave)
      return engine.plan(messageId, out, departure)
    },
    find: async () => engine.found,
  }
  return engine
}

export interface Bench {
  /** The home folder. */
  readonly home: string
  readonly clock: FakeClock
  readonly engine: SendingEngine
  readonly raw: TestDatabase['raw']
  readonly accountId: AccountId
  readonly instances: Instances
  readonly messages: Messages
  /** Ends the link of the first instance, or brings it back. */
  connect(isConnected: boolean): Promise<unknown>
  /** A POST as the door hands it on. */
  send(
    body: SendBody,
    how?: {
      key?: string
      instance?: InstanceId
      /** As if the instance ran on this engine. */
      engine?: 'smv2' | 'official'
      source?: Source
      origin?: SendOrigin
    },
  ): Promise<Reply>
  /** The first instance learns that two names are one person. @param isCut the process ends before messages follow. */
  learn(from: string, to: string, isCut?: boolean): Promise<void>
  /** Notices the messages room has published. */
  readonly notices: Notice[]
  /** Types of the message events recorded since the last call, oldest first. */
  events(): string[]
  /** What the subscribers of a commit were told that each message was sent for, oldest first. */
  readonly origins: (SendOrigin | null)[]
  /** `data` of the newest event, without the two fields every event has. */
  lastData(): Record<string, unknown>
  /** The process dies and the home is opened again: what engines know outside stays as it is. */
  reopen(): Promise<void>
  keyState(key: string): string | undefined
  close(): Promise<void>
}

export interface BenchOptions {
  readonly media?: MediaSource
  readonly converter?: Pick<MediaConverter, 'convert'>
  /** Stands between the room and its storage, to watch commits or make them fail. */
  readonly through?: (db: Db) => Db
}

const noConverter = { convert: async () => ({ kind: 'unavailable' as const }) }

const noMedia: MediaSource = {
  checkUrl: async (url) => new URL(url),
  open: () => Promise.reject(new Error('this test fetches no media')),
  request: () => Promise.reject(new Error('this test previews no link')),
}

/** The messages room with the instances room beside it, on a real database; the test moves the clock and the engine. */
export async function bench(options: BenchOptions = {}): Promise<Bench> {
  const clock = fakeClock()
  const random = seededRandom()
  const ids = createIds(clock, random)
  const engine = sendingEngine(() => now.db)
  const database = await testDatabase(MIGRATIONS, { clock })
  const idempotency = createIdempotency({ clock })
  const names = [...INSTANCES]
  const notices: Notice[] = []
  const origins: (SendOrigin | null)[] = []

  const rooms = (db: Storage) => {
    const ledger = createLedger({ clock, ids })
    ledger.inCommit({
      ...{ phase: 'derive', on: ['message.sent', 'message.delivered', 'message.read', 'message.failed'] },
      run: async (_tx, { origin }) => void origins.push(origin),
    })
    const instances = createInstances({
      keyDerivation: createKeyDerivation(),
      ...{ db, clock, random, ledger, idempotency, jobs: testJobs(db, clock) },
      ids: { ...ids, instance: () => names.shift() ?? ids.instance() },
      engines: { sandbox: { smv2: engine, official: engine }, live: { smv2: null, official: null } },
      cursors: createCursors(Buffer.alloc(32, 7)),
      config: { network: 'sandbox', publicBaseUrl: null },
      entitlements: { requireSlot: async () => {} },
      gauges: {
        queue: async () => ({ pending: 0, oldestSeconds: null }),
        webhooks: async () => ({ pending: 0, failing: 0 }),
        failingOwnCalls: async () => 0,
        lastMessageAtMs: async () => null,
      },
      log: silentLog,
      baseUrl: () => 'http://127.0.0.1:4780',
      isSuspended: () => false,
    })
    const messages = createMessages({
      ...{ clock, ids, instances, idempotency, log: silentLog },
      live: { publish: (_account, notice) => void notices.push(notice) },
      cursors: createCursors(Buffer.alloc(32, 7)),
      fusion: createFusion({ db, clock, instances }),
      safety: createSafety({ db, clock, ledger, instances, config: SETTINGS }),
      isSuspended: () => false,
      usage: createUsage({ db, clock, timeZoneOf: async () => 'UTC' }),
      prices: createCosts({ db, clock }),
      entitlements: { of: async () => ({ frozen: false }) },
      db: options.through?.(db) ?? db,
      outbound: options.media ?? noMedia,
      files: createFiles({ db, clock, ids, folder: join(database.dir, 'files') }),
      converter: options.converter ?? noConverter,
      config: { sendTimeoutMs: 20_000 },
      freeBytes: () => Infinity,
    })
    return { db, instances, messages }
  }

  let now = rooms(database.db)
  const accounts = createAccounts({
    keyDerivation: createKeyDerivation(),
    ...{ db: database.db, clock, ids, random },
    ratePerMinute: 600,
    knownInstances: (owner, wanted) => now.instances.known(owner, wanted),
  })
  const { id: accountId } = await accounts.ensureOperatorAccount()
  await accounts.close()

  const login = (id: InstanceId) =>
    now.instances.onSignal(id, { kind: 'connected', number: '12025550100', name: 'Acme' })
  for (const id of INSTANCES) {
    await now.instances.create({ accountId, createdBy: null, wish: {}, rawBody: {}, idempotencyKey: null })
    await now.instances.qr.read(id, undefined)
    await login(id)
  }

  let seen = 0
  const lost = { kind: 'link_lost', reason: 'closed', code: null, nextRetryAtMs: null } as const

  return {
    ...{ clock, engine, home: database.dir, raw: database.raw, accountId, notices, origins },
    get instances() {
      return now.instances
    },
    get messages() {
      return now.messages
    },
    connect: (isConnected) => (isConnected ? login(INSTANCE) : now.instances.onSignal(INSTANCE, lost)),
    async send(body, { key, instance: id = INSTANCE, engine: its, source = 'api', origin } = {}) {
      const found = await now.instances.subject(accountId, id)
      if (found === undefined) throw new Error(`there is no instance ${id}`)
      const instance = its === undefined ? found : { ...found, engine: its }
      const wire = JSON.stringify(body)
      const rawBody = () => JSON.parse(wire) as unknown
      const idempotencyKey = decodeKeyHeader(key ?? null)
      const request = {
        instance,
        body,
        rawBody,
        idempotencyKey,
        source,
        ...(origin !== undefined && { origin }),
      }
      return asReply(await now.messages.send(request))
    },
    async learn(from, to, isCut = false) {
      const move = { accountId, instanceId: INSTANCE, from, to, isNewNumber: false }
      await now.db.commit((tx) => now.messages.movePerson(tx, move))
      if (!isCut) await now.messages.moveChats()
    },
    events() {
      const rows = database.raw.prepare('SELECT seq, type FROM events WHERE seq > ? ORDER BY seq').all(seen)
      const found = rows as { seq: number; type: string }[]
      seen = found.at(-1)?.seq ?? seen
      return found.map(({ type }) => type).filter((type) => type.startsWith('message.'))
    },
    lastData() {
      const row = database.raw.prepare('SELECT head, tail FROM events ORDER BY seq DESC LIMIT 1').get()
      const { head, tail } = row as { head: string; tail: string }
      const { data } = JSON.parse(`${head}1${tail}`) as { data: Record<string, unknown> }
      const { occurred_at: _at, sequence: _sequence, ...own } = data
      return own
    },
    async reopen() {
      now.instances.close()
      await now.messages.stop()
      await now.db.close()
      const file = `${database.dir}/switchboard.db`
      now = rooms(await openTestStorage({ file, migrations: MIGRATIONS, ids, clock, log: silentLog }))
      await now.messages.recover()
      await now.instances.resumeAll()
    },
    keyState(key) {
      const row = database.raw.prepare('SELECT state FROM idempotency_keys WHERE key = ? AND expires_at > 0').get(key)
      return (row as { state: string } | undefined)?.state
    },
    async close() {
      now.instances.close()
      await now.messages.stop()
      await now.db.close()
      await database.close()
    },
  }
}

export const TEXT: SendBody = { to: '12025550123', text: 'Hello' }

/** The 201 of a send. */
interface Reply {
  readonly bytes: Buffer
  readonly replayed: boolean
}

/** @throws ApiError when the send is answered with an error. */
export function asReply(result: SendResult): Reply {
  const { bytes = Buffer.alloc(0), headers } = sendAnswer(result)
  return { bytes, replayed: headers['Idempotent-Replayed'] === 'true' }
}

/** The id in the body of a 201. */
export const idIn = ({ bytes }: Reply): MessageId =>
  (JSON.parse(bytes.toString()) as { message_id: MessageId }).message_id

export const bodyOf = ({ bytes }: Reply): unknown => JSON.parse(bytes.toString())

/** The error a promise ends in; fails the test when it does not. */
export async function refusal(promise: Promise<unknown>): Promise<ApiError> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => error,
  )
  if (outcome instanceof ApiError) return outcome
  throw new Error(`expected an ApiError, got ${JSON.stringify(outcome)}`, { cause: outcome })
}

/** A promise the test settles when it wants. */
export function gate<T>(): { promise: Promise<T>; open: (value: T) => void } {
  const { promise, resolve } = Promise.withResolvers<T>()
  return { promise, open: resolve }
}

export { settle }
