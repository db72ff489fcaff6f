import { createAccounts } from '../../main/capabilities/account/index.ts'
import { createEntitlements } from '../../main/capabilities/entitlements/index.ts'
import {
  createInstances,
  type CreateCall,
  type Gauges,
  type Instances,
} from '../../main/capabilities/instances/index.ts'
import type { InstanceRecord } from '../../main/contract/instance.ts'
import type { Clock } from '../../main/kernel/clock.ts'
import type { Db } from '../../main/kernel/db.ts'
import { createIdempotency } from '../../main/kernel/idempotency.ts'
import { createIds, type AccountId, type InstanceId } from '../../main/kernel/ids.ts'
import { createKeyDerivation } from '../../main/kernel/key-derivation.ts'
import type { Jobs } from '../../main/kernel/jobs.ts'
import { createLedger } from '../../main/kernel/ledger.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { createCursors } from '../../main/kernel/page.ts'
import { fakeClock, type FakeClock } from './clock.ts'
import { testDatabase, type TestDatabase } from './database.ts'
import { scriptedEngine, type ScriptedEngine } from './engine.ts'
import { testJobs } from './jobs.ts'
import { seededRandom } from './random.ts'

/** The instances room with a real database and scripted engines. */
export interface InstancesRoom {
  readonly instances: Instances
  readonly database: TestDatabase
  readonly clock: FakeClock
  readonly smv2: ScriptedEngine
  readonly official: ScriptedEngine
  readonly accountId: AccountId
  /** Runs before every read outside a commit: what another caller may do in between. */
  beforeRead: (() => Promise<unknown>) | null
  readonly gauges: { -readonly [K in keyof Gauges]: Gauges[K] }
  create(wish?: CreateCall['wish'], idempotencyKey?: string | null): Promise<MadeInstance>
  /** An instance with this number, its events already taken. */
  connected(number?: string, wish?: CreateCall['wish']): Promise<MadeInstance>
  /** What happened since this was last asked: the events of all instances, in order, and no others. */
  newEvents(): RecordedEvent[]
  /** The same database and engines under a service that was started again. */
  restarted(): Instances
  /** Those of the running service. Nothing runs before `start`. */
  readonly jobs: Jobs
  close(): Promise<void>
}

export type MadeInstance = Omit<InstanceRecord, 'id'> & { id: InstanceId }

interface RecordedEvent {
  readonly type: string
  readonly instance: { id: string; external_ref: string | null; metadata: object | null; engine: string }
  readonly data: Record<string, unknown>
}

export async function instancesRoom(plan: { slots?: number; live?: boolean } = {}): Promise<InstancesRoom> {
  const clock = fakeClock()
  const database = await testDatabase(undefined, { clock })
  const random = seededRandom()
  const ids = createIds(clock, random)
  let beforeRead: (() => Promise<unknown>) | null = null
  // A hook, not a stand-in: a read that waits its turn is what a server database does all the time.
  const interrupted = async () => {
    const hook = beforeRead
    beforeRead = null
    await hook?.()
    beforeRead = hook
  }
  const db: Db = {
    ...database.db,
    read: async (statement, params) => (await interrupted(), database.db.read(statement, params)),
    readOne: async (statement, params) => (await interrupted(), database.db.readOne(statement, params)),
  }
  const [smv2, official] = [scriptedEngine('smv2'), scriptedEngine('official')]
  const gauges = emptyGauges()

  let jobs = testJobs(db, clock)
  const open = (time: Clock): Instances =>
    createInstances({
      keyDerivation: createKeyDerivation(),
      db,
      jobs,
      random,
      clock: time,
      ids,
      ledger: createLedger({ clock, ids }),
      engines: { sandbox: { smv2, official }, live: plan.live ? { smv2, official } : { smv2: null, official: null } },
      idempotency: createIdempotency({ clock }),
      cursors: createCursors(Buffer.alloc(32, 7)),
      config: { network: 'sandbox', publicBaseUrl: null },
      entitlements: createEntitlements({ db, clock, config: { slots: plan.slots ?? 10_000 } }),
      gauges,
      log: silentLog,
      baseUrl: () => 'http://127.0.0.1:4780',
      isSuspended: () => false,
    })

  let instances = open(clock)
  const accounts = createAccounts({
    keyDerivation: createKeyDerivation(),
    db,
    clock,
    ids,
    random,
    ratePerMinute: 600,
    knownInstances: instances.known,
  })
  const { id: accountId } = await accounts.ensureOperatorAccount()

  const create = async (wish: CreateCall['wish'] = {}, idempotencyKey: string | null = null): Promise<MadeInstance> => {
    const { record } = await instances.create({ accountId, createdBy: null, wish, rawBody: wish, idempotencyKey })
    return record as MadeInstance
  }

  let seen = 0
  const newEvents = (): RecordedEvent[] => {
    const rows = database.raw.prepare('SELECT seq, head, tail FROM events WHERE seq > ? ORDER BY seq').all(seen)
    return (rows as { seq: number; head: string; tail: string }[]).map(({ seq, head, tail }) => {
      seen = seq
      return JSON.parse(`${head}1${tail}`) as RecordedEvent
    })
  }

  return {
    get instances() {
      return instances
    },
    get jobs() {
      return jobs
    },
    get beforeRead() {
      return beforeRead
    },
    set beforeRead(hook) {
      beforeRead = hook
    },
    database,
    clock,
    smv2,
    official,
    accountId,
    gauges,
    create,
    newEvents,
    async connected(number = '12025550123', wish = {}) {
      const made = await create(wish)
      if (wish.engine !== 'official') await instances.qr.read(made.id, undefined)
      await instances.onSignal(made.id, { kind: 'connected', number, name: 'Acme' })
      newEvents()
      return { ...(await instances.get(made.id)), id: made.id }
    },
    restarted() {
      instances.close()
      jobs = testJobs(db, clock)
      return (instances = open(clock))
    },
    async close() {
      await jobs.stop(0)
      instances.close()
      await accounts.close()
      await database.close()
    },
  }
}

function emptyGauges(): InstancesRoom['gauges'] {
  return {
    queue: async () => ({ pending: 0, oldestSeconds: null }),
    webhooks: async () => ({ pending: 0, failing: 0 }),
    failingOwnCalls: async () => 0,
    lastMessageAtMs: async () => null,
  }
}
