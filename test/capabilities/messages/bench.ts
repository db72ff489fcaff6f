import { createMessages, type Messages, type SendReply } from '../../../main/capabilities/messages/index.ts'
import { keyText } from '../../../main/capabilities/messages/handlers.ts'
import type { InstanceSubject } from '../../../main/capabilities/handler.ts'
import type { SendBody } from '../../../main/capabilities/messages/contract.ts'
import type { MediaSource } from '../../../main/capabilities/messages/media.ts'
import type { Accepted, Engine, Outgoing, SendOutcome } from '../../../main/engines/engine.ts'
import { ApiError } from '../../../main/contract/errors.ts'
import type { Db } from '../../../main/kernel/db.ts'
import { createIdempotency } from '../../../main/kernel/idempotency.ts'
import { createIds, type AccountId, type InstanceId, type MessageId } from '../../../main/kernel/ids.ts'
import { createLedger, type Ledger } from '../../../main/kernel/ledger.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { MIGRATIONS } from '../../../main/storage/migrations/index.ts'
import { openStorage, type Storage } from '../../../main/storage/sqlite.ts'
import { fakeClock, settle, type FakeClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'

const ACCOUNT = '0197f0c2-0000-7000-8000-00000000000a' as AccountId
export const INSTANCE = '0197f0c2-0000-7000-8000-000000000001' as InstanceId
export const OTHER_INSTANCE = '0197f0c2-0000-7000-8000-000000000002' as InstanceId

/** An engine that does what the test says. */
export interface ScriptedEngine extends Engine {
  /** What it was asked to send, in order. */
  readonly asked: { instanceId: string; messageId: MessageId; out: Outgoing }[]
  /** Decides the outcome of the sends that follow. */
  plan: (messageId: MessageId, out: Outgoing, signal: AbortSignal) => Promise<SendOutcome>
  found: 'arrived' | 'never_arrived' | 'cannot_tell'
}

export const accepted = (engineMessageId: string, status: Accepted['status'] = 'sent'): SendOutcome => ({
  kind: 'accepted',
  engineMessageId,
  status,
})

export function scriptedEngine(): ScriptedEngine {
  let count = 0
  const engine: ScriptedEngine = {
    asked: [],
    plan: async () => accepted(`3EB0${String(++count).padStart(6, '0')}`),
    found: 'cannot_tell',
    async start() {},
    resume: async () => 'connected',
    async stop() {},
    async logout() {},
    async wipe() {},
    send(instance, messageId, out, signal) {
      engine.asked.push({ instanceId: instance.id, messageId, out })
      return engine.plan(messageId, out, signal)
    },
    find: async () => engine.found,
    evidence: () => ({ reachable: true, lastSeenAtMs: null, latencyMs: null, restriction: null, quality: null }),
    async begin() {},
    async close() {},
  }
  return engine
}

export interface Bench {
  readonly clock: FakeClock
  readonly engine: ScriptedEngine
  readonly raw: TestDatabase['raw']
  db: Storage
  messages: Messages
  readonly subject: (id?: InstanceId) => InstanceSubject
  connect(isConnected: boolean): void
  /** A POST as the door hands it on. */
  send(body: SendBody, how?: { key?: string; instance?: InstanceSubject }): Promise<SendReply>
  /** Types of the events recorded since the last call, oldest first. */
  events(): string[]
  /** `data` of the newest event. */
  lastData(): Record<string, unknown>
  /** The process dies and the home is opened again: storage, rooms and engine state outside stay as they are. */
  reopen(): Promise<void>
  keyState(key: string): string | undefined
  close(): Promise<void>
}

export interface BenchOptions {
  readonly engine?: 'smv2' | 'official'
  readonly media?: MediaSource
  /** Stands between the room and its storage, to make commits fail. */
  readonly through?: (db: Db) => Db
}

const noMedia: MediaSource = {
  checkUrl: async (url) => new URL(url),
  request: () => Promise.reject(new Error('this test fetches no media')),
}

/** The messages room on a real database, with a clock and an engine that the test moves. */
export async function bench(options: BenchOptions = {}): Promise<Bench> {
  const clock = fakeClock()
  const ids = createIds(clock, seededRandom())
  const engine = scriptedEngine()
  const database = await testDatabase(MIGRATIONS, { clock })
  let isConnected = true
  let seen = 0

  const subject = (id: InstanceId = INSTANCE): InstanceSubject => ({
    id,
    accountId: ACCOUNT,
    engine: options.engine ?? 'smv2',
    network: 'sandbox',
    connected: isConnected,
    deleted: false,
  })
  const room = (db: Db): Messages => {
    const ledger: Ledger = createLedger({ clock, ids })
    return createMessages({
      db: options.through?.(db) ?? db,
      clock,
      ids,
      log: silentLog,
      outbound: options.media ?? noMedia,
      config: { sendTimeoutMs: 20_000 },
      idempotency: createIdempotency({ clock }),
      instances: {
        announce: (tx, instanceId, type, data) =>
          ledger.append(tx, { accountId: ACCOUNT, instanceId, type, instance: { id: instanceId }, data }),
        engineFor: () => engine,
        subject: async (_account, id) => subject(id as InstanceId),
      },
    })
  }

  const made: Bench = {
    clock,
    engine,
    raw: database.raw,
    db: database.db,
    messages: room(database.db),
    subject,
    connect: (value) => void (isConnected = value),
    send(body, { key, instance = subject() } = {}) {
      const wire = JSON.stringify(body)
      return made.messages.send({
        instance,
        body,
        rawBody: () => JSON.parse(wire) as unknown,
        idempotencyKey: keyText(key ?? null),
        source: 'api',
      })
    },
    events() {
      const rows = database.raw.prepare('SELECT seq, type FROM events WHERE seq > ? ORDER BY seq').all(seen)
      const found = rows as { seq: number; type: string }[]
      seen = found.at(-1)?.seq ?? seen
      return found.map(({ type }) => type)
    },
    lastData() {
      const row = database.raw.prepare('SELECT head, tail FROM events ORDER BY seq DESC LIMIT 1').get()
      const { head, tail } = row as { head: string; tail: string }
      return (JSON.parse(`${head}1${tail}`) as { data: Record<string, unknown> }).data
    },
    async reopen() {
      await made.db.close()
      const file = `${database.dir}/switchboard.db`
      made.db = await openStorage({ file, migrations: MIGRATIONS, ids, clock, log: silentLog })
      made.messages = room(made.db)
      await made.messages.recover()
    },
    keyState(key) {
      const row = database.raw.prepare('SELECT state FROM idempotency_keys WHERE key = ?').get(key)
      return (row as { state: string } | undefined)?.state
    },
    async close() {
      await made.messages.stop()
      await made.db.close()
      await database.close()
    },
  }
  return made
}

export const TEXT: SendBody = { to: '12025550123', text: 'Hello' }

/** The id in the body of a 201. */
export const idIn = ({ bytes }: SendReply): MessageId =>
  (JSON.parse(bytes.toString()) as { message_id: MessageId }).message_id

export const bodyOf = ({ bytes }: SendReply): unknown => JSON.parse(bytes.toString())

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
