import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createAccounts } from '../../../main/capabilities/account/index.ts'
import type { InstanceSubject } from '../../../main/capabilities/handler.ts'
import { createInstanceWebhooks, type InstanceWebhooks } from '../../../main/capabilities/instance-webhook/index.ts'
import { createInstances, type Instances } from '../../../main/capabilities/instances/index.ts'
import type { Engine } from '../../../main/contract/shapes.ts'
import { createIdempotency } from '../../../main/kernel/idempotency.ts'
import { createIds, type AccountId, type InstanceId } from '../../../main/kernel/ids.ts'
import { createKeyDerivation } from '../../../main/kernel/key-derivation.ts'
import { createLedger } from '../../../main/kernel/ledger.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createOutbound, type OutboundAnswer } from '../../../main/outbound/outbound.ts'
import { createCursors } from '../../../main/kernel/page.ts'
import { MIGRATIONS } from '../../../main/storage/migrations/index.ts'
import type { Storage } from '../../../main/storage/sqlite.ts'
import { fakeClock, settle, type FakeClock } from '../../support/clock.ts'
import { openTestStorage, testDatabase, type TestDatabase } from '../../support/database.ts'
import { scriptedEngine } from '../../support/engine.ts'
import { testJobs } from '../../support/jobs.ts'
import { seededRandom } from '../../support/random.ts'

export const SECOND = 1_000
export const MINUTE = 60 * SECOND

/** One request as the receiver sees it. */
interface Seen {
  readonly receiver: string
  readonly atMs: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly body: { event: string; instanceId: string; instanceName: string; data: Record<string, unknown> }
}

interface Reply {
  readonly status?: number
  readonly hang?: boolean
}

/** The room beside the real instances room, on a real database and ledger; receivers answer inside the process. */
export interface HookWorld {
  readonly clock: FakeClock
  readonly data: TestDatabase
  readonly room: InstanceWebhooks
  readonly instances: Instances
  readonly seen: Seen[]
  /** Most requests that were open at once, by receiver. */
  readonly peak: Map<string, number>
  answer(script: Reply | ((seen: Seen) => Reply)): void
  /** A connected instance. */
  instance(engine?: Engine, name?: string): Promise<InstanceSubject>
  subject(id: InstanceId): Promise<InstanceSubject>
  /** Something happens to the instance that has a code of its own. */
  qr(instance: InstanceSubject): Promise<void>
  received(instance: InstanceSubject, text?: string): Promise<void>
  /** Names in the order they were posted, by receiver. */
  names(receiver?: string): string[]
  waiting(): number
  pass(ms: number): Promise<void>
  quiet(): Promise<void>
  /** The process dies at once; the same home is opened again. */
  crash(): Promise<void>
  /** The service is told to stop, and started again. */
  restart(): Promise<void>
}

export async function hookWorld(): Promise<HookWorld> {
  const clock = fakeClock()
  const random = seededRandom()
  const ids = createIds(clock, random)
  const data = await testDatabase(MIGRATIONS, { clock, ids })
  const seen: Seen[] = []
  const open = new Map<string, number>()
  const peak = new Map<string, number>()
  let script: (one: Seen) => Reply = () => ({})

  async function receive(request: {
    url: URL
    headers: Readonly<Record<string, string>>
    body: Buffer
  }): Promise<OutboundAnswer> {
    const receiver = request.url.pathname.slice(1)
    const text = request.body.toString()
    const one = { receiver, atMs: clock.now(), headers: request.headers, text, body: JSON.parse(text) as Seen['body'] }
    seen.push(one)
    const now = (open.get(receiver) ?? 0) + 1
    open.set(receiver, now)
    peak.set(receiver, Math.max(now, peak.get(receiver) ?? 0))
    const { status = 200, hang = false } = script(one)
    if (hang) await clock.sleep(15 * SECOND)
    open.set(receiver, now - 1)
    return { kind: 'response', status, headers: {}, body: Buffer.alloc(0), truncated: false, remoteIp: null }
  }

  function build(db: Storage) {
    const ledger = createLedger({ clock, ids })
    const outbound = createOutbound({ clock, resolve: async () => ['10.0.0.1'], trustedRanges: [] })
    outbound.addResponder('catcher.sandbox', receive)
    const [smv2, official] = [scriptedEngine('smv2'), scriptedEngine('official')]
    const instances = createInstances({
      keyDerivation: createKeyDerivation(),
      ...{ db, clock, ids, random, ledger, log: silentLog, jobs: testJobs(db, clock) },
      engines: { sandbox: { smv2, official }, live: { smv2: null, official: null } },
      idempotency: createIdempotency({ clock }),
      cursors: createCursors(Buffer.alloc(32, 7)),
      config: { network: 'sandbox', publicBaseUrl: null },
      entitlements: { requireSlot: async () => {} },
      gauges: {
        queue: async () => ({ pending: 0, oldestSeconds: null }),
        webhooks: async () => ({ pending: 0, failing: 0 }),
        failingOwnCalls: async () => 0,
        lastMessageAtMs: async () => null,
      },
      baseUrl: () => 'http://127.0.0.1:4780',
      isSuspended: () => false,
    })
    const room = createInstanceWebhooks({
      ...{ db, clock, ledger, outbound, log: silentLog, instances },
      apiActivity: { isRecent: () => true },
      writeGate: { isOpen: () => true },
    })
    room.start()
    return { db, instances, room, outbound }
  }

  let now = build(data.db)
  const accounts = createAccounts({
    keyDerivation: createKeyDerivation(),
    ...{ db: data.db, clock, ids, random, ratePerMinute: 600 },
    knownInstances: (owner, wanted) => now.instances.known(owner, wanted),
  })
  const { id: accountId }: { id: AccountId } = await accounts.ensureOperatorAccount()
  await accounts.close()

  const waiting = () => {
    const row = data.raw.prepare('SELECT COUNT(*) AS count FROM instance_webhook_calls').get()
    return (row as { count: number }).count
  }
  const reopen = async () => {
    now.instances.close()
    const file = join(data.dir, 'switchboard.db')
    now = build(await openTestStorage({ file, migrations: MIGRATIONS, ids, clock, log: silentLog }))
    await now.room.recover()
  }
  onTestFinished(async () => {
    now.instances.close()
    await now.room.stop(0)
    await now.db.close()
    await data.close()
  })

  const world: HookWorld = {
    ...{ clock, data, seen, peak, waiting },
    get room() {
      return now.room
    },
    get instances() {
      return now.instances
    },
    answer: (next) => void (script = typeof next === 'function' ? next : () => next),
    async instance(engine = 'smv2', name = 'Berlin shop') {
      const wish = { engine, name }
      const { record } = await now.instances.create({
        accountId,
        createdBy: null,
        wish,
        rawBody: wish,
        idempotencyKey: null,
      })
      const id = record.id as InstanceId
      if (engine === 'smv2') await now.instances.qr.read(id, undefined)
      await now.instances.onSignal(id, { kind: 'connected', number: '12025550100', name: 'Berlin shop' })
      return world.subject(id)
    },
    async subject(id) {
      const found = await now.instances.subject(accountId, id)
      if (!found) throw new Error(`there is no instance ${id}`)
      return found
    },
    async qr({ id }) {
      await now.db.commit((tx) =>
        now.instances.announce(tx, id, 'instance.qr.updated', { attempt: 1, expires_at: '2026-01-05T12:01:00.000Z' }),
      )
    },
    async received({ id }, text = 'Hello') {
      const spoken = {
        message_id: 'msg_1',
        chat: '12025550123',
        from: '12025550123',
        from_me: false,
        is_group: false,
        chat_type: 'person' as const,
      }
      const rest = {
        push_name: null,
        media: null,
        quoted_message_id: null,
        participant: null,
        referral: null,
        content: null,
        view_once: false,
        forwarded: false,
        frequently_forwarded: false,
      }
      const timestamp = '2026-01-05T12:00:00.000Z'
      await now.db.commit((tx) =>
        now.instances.announce(tx, id, 'message.received', { ...spoken, ...rest, type: 'text', text, timestamp }),
      )
    },
    names: (receiver) =>
      seen.filter((one) => receiver === undefined || one.receiver === receiver).map(({ body }) => body.event),
    async quiet() {
      for (let calm = 0, before = ''; calm < 3;) {
        await settle(3)
        const state = `${seen.length} ${waiting()}`
        calm = state === before ? calm + 1 : 0
        before = state
      }
    },
    async pass(ms) {
      await world.quiet()
      for (let left = ms; left > 0; left -= SECOND) {
        await clock.advance(Math.min(left, SECOND))
        await settle(2)
      }
      await world.quiet()
    },
    async crash() {
      await now.db.close()
      await reopen()
    },
    async restart() {
      await now.room.stop(0)
      await now.outbound.close()
      await now.db.close()
      await reopen()
    },
  }
  return world
}
