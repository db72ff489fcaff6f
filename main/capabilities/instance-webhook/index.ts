import { ApiError } from '../../contract/errors.ts'
import type { InstanceRecord } from '../../contract/instance.ts'
import type { ApiActivity } from '../../kernel/api-activity.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { LineEvent } from '../../contract/line-events.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { Ledger, QuietLedger } from '../../kernel/ledger.ts'
import type { WriteGate } from '../../kernel/write-gate.ts'
import type { Log } from '../../kernel/log.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { InstanceSubject, RequireAccess } from '../handler.ts'
import { linesOfClients } from '../client-attention.ts'
import { lineOfInstances } from '../instance-attention.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'
import type { InstanceWebhook, SetBody } from './contract.ts'
import type { Instances } from '../instances/index.ts'
import { CHUNK, createDeliveryWorker } from './deliver.ts'
import { createEnqueue } from './enqueue.ts'
import { createCallSlots } from './call-slots.ts'
import { createLineEvents } from './line-events.ts'
import { parseEventNames } from './event-names.ts'
import {
  type DueInstance,
  dropAll,
  failingCalls,
  failingClients,
  failingInstances,
  upsertWebhook,
  removeWebhook,
  resumeWebhook,
  toWebhook,
  webhookOf,
} from './store.ts'

export interface InstanceWebhooksDeps {
  readonly db: Db
  readonly clock: Clock
  readonly apiActivity: Pick<ApiActivity, 'isRecent'>
  readonly ledger: Pick<Ledger, 'inCommit'> & QuietLedger
  readonly outbound: Pick<Outbound, 'checkUrl' | 'request'>
  readonly log: Log
  readonly writeGate: Pick<WriteGate, 'isOpen'>
  readonly instances: {
    get(id: InstanceId): Promise<Pick<InstanceRecord, 'instance_name'>>
    accountOf(id: InstanceId): Promise<AccountId | undefined>
    subscribe: Instances['subscribe']
  }
}

/** More calls than an instance can have, to remove all of them. */
const ALL = 1_000_000

export interface InstanceWebhooks {
  /** Creates or replaces the webhook. @throws ApiError invalid_url, validation_error */
  set(instance: InstanceSubject, body: SetBody, requireAccess: RequireAccess): Promise<InstanceWebhook>
  read(instance: InstanceSubject): Promise<InstanceWebhook>
  /** Removes it with all its pending calls. */
  remove(instance: InstanceSubject): Promise<void>
  /** Number of pending calls that have failed at least once. */
  failing(id: InstanceId): Promise<number>
  /** Its issues for the overview. */
  attention(query: AttentionQuery): Promise<AttentionLine[]>
  /** An event other than a message; it is stored only if the webhook includes it. */
  onLineEvent(id: InstanceId, event: LineEvent): Promise<void>
  /** Called when a suspended account becomes active again. */
  lookAgain(): Promise<void>
  /** Runs at each start, before the service listens. */
  recover(): Promise<void>
  start(): void
  /** Lets running calls finish for `drainMs`, and does not count the attempts of the others. */
  stop(drainMs: number): Promise<void>
}

/**
 * The older webhook of a single instance (spec: Per-instance webhook): unsigned, three attempts. Subscribes to the
 * ledger.
 */
export function createInstanceWebhooks(deps: InstanceWebhooksDeps): InstanceWebhooks {
  const { db, clock, ledger, outbound, instances } = deps
  const slots = createCallSlots()
  const delivery = createDeliveryWorker({ ...deps, slots })

  const markDue = (due: DueInstance) => {
    slots.markDue(due)
    delivery.wake()
  }
  ledger.inCommit(createEnqueue({ markDue }))
  instances.subscribe(async (tx, change) => {
    const { kind, id: instanceId } = change
    if (change.kind === 'transferred' && change.isRepeated) return void (await tx.run(resumeWebhook, { instanceId }))
    if (kind !== 'not_returned' && kind !== 'transferred') return
    // The URL and the waiting calls belong to the old owner. The new owner may set another URL.
    await tx.run(removeWebhook, { instanceId })
    await tx.run(dropAll, { instanceId, limit: ALL })
  })

  const checked = async (url: string): Promise<string> =>
    (await outbound.checkUrl(url, { schemes: ['https'], field: 'url' })).href

  return {
    async set({ id: instanceId, engine }, { url: typedUrl, events }, requireAccess) {
      const names = parseEventNames(engine, events)
      const known = await db.readOne(webhookOf, { instanceId })
      // Each call checks its URL again, so a URL that does not resolve now must not prevent a change of the events.
      const url = known?.url === typedUrl ? typedUrl : await checked(typedUrl)
      const { instance_name: instanceName } = await instances.get(instanceId)
      const row = { instanceId, instanceName, url, events: JSON.stringify(names), now: clock.now() }
      const written = await db.commit(async (tx) => {
        // Checked again, because the check of the URL takes a while.
        await requireAccess(tx)
        return tx.run(upsertWebhook, row)
      })
      if (written === 0) throw new ApiError('not_found', 'There is no instance with this id.')
      return { engine, url, events: [...names] }
    },
    async read({ id: instanceId, engine }) {
      const row = await db.readOne(webhookOf, { instanceId })
      if (!row) return { engine, url: null, events: [] }
      const { url, names } = toWebhook(row)
      return { engine, url, events: [...names] }
    },
    async remove({ id: instanceId }) {
      let dropped = await db.commit(async (tx) => {
        await tx.run(removeWebhook, { instanceId })
        return tx.run(dropAll, { instanceId, limit: CHUNK })
      })
      while (dropped === CHUNK) dropped = await db.commit((tx) => tx.run(dropAll, { instanceId, limit: CHUNK }))
    },
    failing: async (instanceId) => (await db.readOne(failingCalls, { instanceId }))?.count ?? 0,
    async attention({ accountId, network, role }) {
      const of = { accountId, network }
      const found = await db.read(failingInstances, of)
      const clients = role === 'operator' ? await db.read(failingClients, of) : []
      const numbers = found.map(({ calls, ...number }) => ({ ...number, facts: { count: calls } }))
      const sinceMs = clock.now()
      return [
        ...lineOfInstances('failing', 'warning', numbers),
        ...linesOfClients(
          'warning',
          clients.map((client) => ({ ...client, sinceMs })),
        ),
      ]
    },
    onLineEvent: createLineEvents({ db, clock, ledger, accountOf: instances.accountOf, markDue }),
    lookAgain: delivery.lookAgain,
    recover: delivery.recover,
    start: delivery.start,
    stop: delivery.stop,
  }
}
