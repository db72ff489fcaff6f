import { createCosts } from '../../../main/capabilities/costs/index.ts'
import { createCampaigns, type CampaignsDeps } from '../../../main/capabilities/campaigns/index.ts'
import type { KnownInstance } from '../../../main/capabilities/instances/index.ts'
import type { Message } from '../../../main/capabilities/messages/store.ts'
import type { CampaignMessage } from '../../../main/contract/campaign-message.ts'
import type { CampaignConfigInput } from '../../../main/contract/campaign.ts'
import type { BudgetInput } from '../../../main/contract/costs.ts'
import { ApiError } from '../../../main/contract/errors.ts'
import type { Engine, InstanceStatus, Network } from '../../../main/contract/shapes.ts'
import type { Db, Tx } from '../../../main/kernel/db.ts'
import { createIdempotency } from '../../../main/kernel/idempotency.ts'
import { createIds, type AccountId, type InstanceId } from '../../../main/kernel/ids.ts'
import { createJobs } from '../../../main/kernel/jobs.ts'
import { createSubscribers, type LedgerEvent } from '../../../main/kernel/ledger.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createCursors } from '../../../main/kernel/page.ts'
import type { Principal } from '../../../main/kernel/access.ts'
import { fakeClock, settle, START_MS } from '../../support/clock.ts'
import { testDatabase } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'

export const UTILITY = { name: 'offer', language: 'en' }
export const ACCOUNT = '0197f0c2-0000-7c51-9d2b-5f8e1a7c4b60' as AccountId

const CALLER = {
  ...{ kind: 'key', role: null, accountId: ACCOUNT, accountName: 'Agency', key: null, scopes: [] },
  ...{ allowedInstanceIds: null, ratePerMinute: 600, source: 'api' },
} as const satisfies Principal

/** One message that left. */
export interface Sent {
  readonly to: string
  readonly instanceId: string
  readonly atMs: number
  readonly text: string
}

interface Line {
  status: InstanceStatus
  restrictedUntilMs: number | null
}

/** People that numbers may still reach, and when they may reach more. */
interface Budget {
  left: number
  untilMs: number
}

/** Where a process ends: at this commit, before it is written or after. */
export interface Kill {
  readonly atCommit: number
  readonly isWritten: boolean
}

/**
 * The campaigns room on a real database, with numbers and a network that do what the test says. A process can be killed at
 * any of its commits, and another one takes over.
 */
export async function campaignBench({
  network = 'sandbox',
  engine = 'smv2',
  startMs = START_MS,
  zone = 'UTC',
  isBilled = false,
}: { network?: Network; engine?: Engine; startMs?: number; zone?: string; isBilled?: boolean } = {}) {
  const clock = fakeClock(startMs)
  const { db, raw, close } = await testDatabase(undefined, { clock })
  const lines = new Map<InstanceId, Line>()
  const sent: Sent[] = []
  /** Messages by their key: a table that survives, as the network does. */
  const messages = new Map<string, Message>()
  const optedOut = new Set<string>()
  const budgets = new Map<InstanceId, Budget>()
  let stopProcess = async (): Promise<void> => {}

  /** @param kill none: the process lives on. */
  function boot(number: number, kill?: Kill) {
    let commits = 0
    let isDead = false
    const { promise: death, resolve: die } = Promise.withResolvers<undefined>()
    const never = () => new Promise<never>(() => {})
    const own: Db = {
      ...db,
      read: (statement, params) => (isDead ? never() : db.read(statement, params)),
      readOne: (statement, params) => (isDead ? never() : db.readOne(statement, params)),
      boot: `boot_${number}` as Db['boot'],
      async commit(work) {
        if (isDead) return never()
        const isLast = kill !== undefined && ++commits >= kill.atCommit
        if (isLast) {
          isDead = true
          die(undefined)
        }
        if (isLast && !kill.isWritten) return never()
        const result = await db.commit(work)
        return isLast || isDead ? never() : result
      },
    }
    const subscribers = createSubscribers()
    const tell = async (tx: Tx, event: object) => {
      await subscribers.run(tx, event as LedgerEvent)
    }
    const nodes = { id: `node_${number}` as Db['boot'], aliveSinceMs: () => Number.MAX_SAFE_INTEGER }
    const jobs = createJobs({ ...{ db: own, clock, log: silentLog, nodes }, apiActivity: { isRecent: () => false } })
    const ids = createIds(clock, seededRandom(number))

    const known = (id: string): KnownInstance | undefined => {
      const line = lines.get(id as InstanceId)
      return (
        line && {
          ...{ id: id as InstanceId, name: id, instanceName: id, engine, network, status: line.status },
          phoneNumber: null,
        }
      )
    }
    const send: CampaignsDeps['messages']['send'] = async ({ instance, body, idempotencyKey, origin = null }) => {
      const key = idempotencyKey ?? ''
      if (lines.get(instance.id)?.status !== 'connected')
        return { kind: 'not_sent', error: new ApiError('not_ready', 'Not connected.') }
      const id = ids.message()
      await own.commit(async () => {
        if (messages.has(key)) throw new Error(`${key} was sent twice`)
        messages.set(key, {
          ...QUEUED,
          id,
          instanceId: instance.id,
          chat: body.to,
          idempotencyKey: key,
          campaignId: origin?.kind === 'campaign' ? origin.campaignId : null,
          origin,
        })
      })
      if (isDead) return never()
      sent.push({ to: body.to, instanceId: instance.id, atMs: clock.now(), text: body.text ?? '' })
      await own.commit(async (tx) => {
        const message = messages.get(key)
        if (message) messages.set(key, { ...message, status: 'sent', engineMessageId: id, sentAtMs: clock.now() })
        const data = { message_id: id, status: 'sent', idempotency_key: key }
        const at = new Date(clock.now()).toISOString()
        await tell(tx, {
          type: 'message.sent',
          accountId: ACCOUNT,
          instanceId: instance.id,
          data: { ...data, timestamp: at },
          origin,
        })
      })
      return { kind: 'accepted', engine: 'smv2', messageId: id, replayed: false }
    }

    const costs = createCosts({ db: own, clock })
    const campaigns = createCampaigns({
      wasOffMs: () => Infinity,
      isSuspended: () => false,
      refusalOf: async () => null,
      ...{ db: own, clock, ids, jobs, log: silentLog, live: { publish() {} }, apiActivity: { isRecent: () => false } },
      ledger: { inCommit: subscribers.add },
      cursors: createCursors(Buffer.alloc(32)),
      idempotency: createIdempotency({ clock }),
      instances: {
        find: async (_read, _account, id) => known(id),
        async subject(_account, id) {
          const found = known(id)
          return found && { ...found, accountId: ACCOUNT, connected: found.status === 'connected', deleted: false }
        },
        // Only what a campaign asks of an engine.
        engineFor: () =>
          ({
            evidence: ({ id }: { id: InstanceId }) => ({ restriction: restrictionOf(lines.get(id)) }),
            billedNumber: (id: InstanceId) => (isBilled ? id : null),
            templates: { list: async () => ({ templates: [{ ...UTILITY, category: 'UTILITY' }], after: null }) },
          }) as never,
        subscribe() {},
        known: async () => new Set(),
      },
      costs,
      messages: {
        send,
        async getByKey(_instanceId, key) {
          const message = messages.get(key)
          if (message === undefined) throw new ApiError('not_found', 'None.')
          return message
        },
        lastWrittenAtMs: async () => null,
        uploads: { keepUntil: async () => true } as never,
      },
      safety: {
        async claim(_tx, { instanceId }) {
          const budget = budgets.get(instanceId)
          if (budget === undefined || budget.left > 0) {
            if (budget !== undefined) budget.left--
            return { kind: 'granted' }
          }
          return { kind: 'wait', reason: 'messaging_limit', untilMs: budget.untilMs }
        },
        release: async () => {},
        isCold: async (_read, _id, phones) => new Set(phones),
        isOneMore: async () => new Set(),
        remaining: async () => new Map(),
      },
      optOuts: {
        optedOutOf: async (_read, _account, _ids, phones) => new Set(phones.filter((phone) => optedOut.has(phone))),
        onOptOut() {},
        country: async () => null,
      },
      contacts: { async *withTag() {}, lastContact: async () => new Map(), nameOnce: async () => {} },
      config: { safetyTimezone: zone },
    })
    /** The network reports what became of a message. */
    const report = (key: string, outcome: 'charged' | 'free' | 'failed') =>
      own.commit(async (tx) => {
        const message = messages.get(key)
        if (message === undefined) throw new Error(`${key} was not sent`)
        const { id, instanceId, origin } = message
        const timestamp = new Date(clock.now()).toISOString()
        const status = outcome === 'failed' ? outcome : 'delivered'
        const data = { message_id: id, status, idempotency_key: key, timestamp }
        const error = { code: 'undeliverable', message: 'x' }
        if (outcome !== 'failed')
          await costs.reported(tx, {
            ...{ messageId: id, instanceId, message, status: 'delivered', atMs: clock.now() },
            billing: {
              ...{ numberId: instanceId, businessId: 'b', recipient: null },
              price: {
                ...{ category: 'utility', type: outcome === 'free' ? 'free_entry_point' : 'regular', model: 'PMP' },
                billable: outcome === 'charged',
              },
            },
          })
        const event = { type: `message.${status}`, accountId: ACCOUNT, instanceId, origin }
        await tell(tx, { ...event, data: { ...data, error } })
      })
    return {
      costs,
      report,
      campaigns,
      isDead: () => isDead,
      death,
      async start() {
        await jobs.recover()
        await campaigns.recover()
        jobs.start()
        if (isBilled) campaigns.start()
      },
      async stop() {
        await campaigns.stop()
        if (!isDead) await jobs.stop(0)
      },
      link: (id: InstanceId, status: InstanceStatus) =>
        own.commit(async (tx) => {
          const line = lines.get(id)
          if (line) line.status = status
          const type = status === 'connected' ? 'instance.connected' : 'instance.disconnected'
          await tell(tx, { type, accountId: ACCOUNT, instanceId: id, data: {} })
        }),
    }
  }
  type Process = ReturnType<typeof boot>

  let boots = 0
  let now: Process = boot(boots)
  await now.start()
  stopProcess = async () => {
    await now.stop()
  }

  return {
    db,
    clock,
    sent,
    optedOut,
    /** Numbers of one portfolio share a budget. */
    share(ids: readonly InstanceId[], budget: Budget): void {
      for (const id of ids) budgets.set(id, budget)
    },
    process: () => now,
    line(id: string): InstanceId {
      lines.set(id as InstanceId, { status: 'connected', restrictedUntilMs: null })
      return id as InstanceId
    },
    link: (id: InstanceId, status: InstanceStatus) => now.link(id, status),
    restrict: (id: InstanceId, untilMs: number | null) => {
      const line = lines.get(id)
      if (line) line.restrictedUntilMs = untilMs
    },
    /** The process ends, wherever it is, and another one begins. */
    async restart(kill?: Kill) {
      if (now.isDead()) await settle()
      else await now.stop()
      now = boot(++boots, kill)
      await Promise.race([now.start(), now.death])
    },
    async create(
      instanceIds: readonly string[],
      phones: readonly string[],
      config: CampaignConfigInput = {},
      messages: readonly CampaignMessage[] = [{ text: '{A|B} {{phone}}' }],
    ) {
      const body = {
        ...{ instance_ids: [...instanceIds], name: 'Offer', start: true, config },
        ...{ messages: [...messages], recipients: phones.map((phone) => ({ phone })) },
      }
      const created = await now.campaigns.create({ caller: CALLER, body, rawBody: body, idempotencyKey: null })
      return (JSON.parse(created.bytes.toString()) as { campaign_id: string }).campaign_id
    },
    setBudget: (id: string, budget: BudgetInput | null) =>
      now.campaigns.updates.update(CALLER, id, { config: { budget: budget } }),
    /** Keys of the messages that the network got, and the campaign of each. */
    messages,
    get: async (id: string) => now.campaigns.full((await now.campaigns.get(CALLER, id)).campaign),
    act: (verb: 'pause' | 'resume' | 'cancel', id: string) => now.campaigns.controls[verb](id),
    recipients: (id: string) =>
      raw
        .prepare(
          'SELECT position, phone, status, instance_id AS instanceId FROM campaign_recipients WHERE campaign_id = ? ORDER BY position',
        )
        .all(id) as { position: number; phone: string; status: string; instanceId: string | null }[],
    /** When each send was decided: the clock of a test can move before it leaves. */
    claims: (id: string) =>
      raw
        .prepare(
          `SELECT instance_id AS instanceId, claimed_at AS atMs FROM campaign_recipients
           WHERE campaign_id = ? AND claimed_at IS NOT NULL ORDER BY claimed_at`,
        )
        .all(id) as { instanceId: string; atMs: number }[],
    /** Second by second. */
    async pass(seconds: number) {
      for (let i = 0; i < seconds; i++) {
        await clock.advance(1_000)
        await settle(6)
      }
    },
    async close() {
      await stopProcess()
      await close()
    },
  }
}

const restrictionOf = (line: Line | undefined) =>
  line === undefined || line.restrictedUntilMs === null
    ? null
    : { kind: 'reachout', untilMs: line.restrictedUntilMs, sinceMs: 0 }

const QUEUED: Omit<Message, 'id' | 'instanceId' | 'chat' | 'idempotencyKey'> = {
  ...{ seq: 1, accountId: ACCOUNT, engine: 'smv2', direction: 'out', type: 'text', status: 'queued' },
  ...{
    source: 'campaign',
    campaignId: null,
    origin: null,
    engineMessageId: null,
    createdAtMs: 0,
    dispatchStartedAtMs: 0,
  },
  ...{
    sentAtMs: null,
    deliveredAtMs: null,
    readAtMs: null,
    failedAtMs: null,
    heldSinceMs: null,
    validUntilMs: null,
    error: null,
  },
}
