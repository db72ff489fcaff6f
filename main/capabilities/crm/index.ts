import type { MessageStatus } from '../../contract/shapes.ts'
import type { Creator } from '../../kernel/access.ts'
import type { Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { MovePerson } from '../../kernel/person-move.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import type { InstanceSubject } from '../handler.ts'
import { createAttention } from './attention.ts'
import { createBackfill } from './backfill.ts'
import type { CrmBridge } from './bridge.ts'
import { createChanges, notConnected } from './changes.ts'
import type { CrmDeps } from './deps.ts'
import { createApi } from './ghl/api.ts'
import { createGhlBridge } from './ghl/bridge.ts'
import { createCallbacks, type Callbacks } from './ghl/callbacks.ts'
import { createConnect, type Connect } from './ghl/connect.ts'
import { createLimiter } from './ghl/limiter.ts'
import { ghlClients as clients } from './ghl/client.ts'
import { createConnectionsUnderWay } from './ghl/under-way.ts'
import { removeStatesCreatedBy, removeStatesOf } from './ghl/session-store.ts'
import { createSides } from './ghl/sides.ts'
import { createTokens } from './ghl/tokens.ts'
import { pruneHidden } from './hidden-people.ts'
import { createInbox } from './inbox.ts'
import { pruneWritten } from './inbox-store.ts'
import { createLinks, linkIdOfSendQueue, type CrmLink } from './links.ts'
import { createMove } from './move.ts'
import { createOptOutChanges } from './opt-out-changes.ts'
import { createOptOutSync } from './opt-out-sync.ts'
import { createOutbox, type NewCall } from './outbox.ts'
import { pruneFailed, pruneStatuses } from './outbox-store.ts'
import { createPeople } from './people.ts'
import { createPush } from './push.ts'
import { createWorkQueue, type WorkQueue } from './queues.ts'
import { createSaid } from './said.ts'
import { rekeyPeople } from './rekey.ts'
import { createSimulated } from './simulated.ts'
import { createStatuses } from './statuses.ts'
import { createViews } from './view.ts'
import { createWebhookBridge } from './webhook/bridge.ts'
import { createInbound } from './webhook/inbound.ts'
import { createWebhookSettings } from './webhook/settings.ts'
import { createSigning } from './webhook/signing.ts'

export type { CrmDeps } from './deps.ts'
export type { ConsentResult } from './ghl/connect.ts'

/** Handles requests from CRMs and browsers that return from consent pages. */
export interface CrmCallbacks {
  readonly ghl: Callbacks
  readonly consent: Connect['callback']
  readonly webhook: ReturnType<typeof createInbound>
}

/** What another room may use. */
interface CreatedSecret {
  readonly instanceId: InstanceId
  readonly instanceName: string
  readonly last4: string
}

interface Crm {
  /** Adds a call, with a link to its recording, to the timeline of the contact in every CRM of the instance. */
  readonly addCall: (tx: Tx, call: NewCall) => Promise<void>
  /**
   * Runs in the commit that ends the access of a person or key: ends the consents they started, and secrets they saw.
   */
  readonly endCreatedBy: (tx: Tx, creator: Creator) => Promise<void>
  /** Secrets of CRM webhooks that this creator saw. */
  readonly secretsOf: (creator: Creator) => Promise<readonly CreatedSecret[]>
  readonly callbacks: CrmCallbacks
  readonly movePerson: MovePerson
}

const KEPT_MS = 30 * 86_400_000
const PRUNED_AT_ONCE = 500

/** Connections between instances and CRMs: GoHighLevel, and any other CRM by a signed webhook. */
export function createCrm(deps: CrmDeps) {
  const { db, clock, ledger, instances, simulator } = deps
  const links = createLinks(deps)
  const sides = createSides(deps)
  const tokens = createTokens({ ...deps, clients, sides })
  const api = createApi({ clients, sides, tokens, clock, limiter: createLimiter(clock) })
  const signing = createSigning(deps)
  const bridges: Readonly<Record<CrmLink['kind'], CrmBridge>> = {
    ghl: createGhlBridge({ ...deps, api }),
    webhook: createWebhookBridge({ ...deps, signing, base: sides.base }),
  }
  const bridgeOf = ({ kind }: CrmLink) => bridges[kind]
  const wordsOf = (link: CrmLink): ReadonlySet<MessageStatus> => bridgeOf(link).statuses

  // These depend on each other: each creates jobs for the others.
  const wakePush: WorkQueue['wake'] = (tx, queue) => pushes.wake(tx, queue)
  const wakeSend: WorkQueue['wake'] = (tx, queue) => sends.wake(tx, queue)
  const resume = async (tx: Tx, queue: string) => {
    await pushes.resume(tx, queue)
    await wakePush(tx, queue)
  }
  const statuses = createStatuses({ clock, links, wake: wakePush, wordsOf })
  const outbox = createOutbox({ clock, links, statuses, wake: wakePush })
  const optOutSync = createOptOutSync({ ...deps, links, wake: wakePush })
  const inbox = createInbox({ ...deps, links, statuses, wake: wakeSend })
  const push = createPush({
    ...{ ...deps, links, statuses, bridgeOf },
    ...{ optOutChanges: createOptOutChanges(deps), personOf: createPeople(deps), read: createSaid(deps) },
  })
  const backfill = createBackfill({ ...deps, links, outbox, wake: wakePush })
  const pushes: WorkQueue = createWorkQueue(
    { ...deps, links },
    {
      ...{ name: 'crm.push', prefixes: ['ghl:', 'webhook:'], turn: push.turn, dueAtMs: push.dueAtMs },
      linksOf: (tx, queue) => links.ofQueue(queue, tx),
    },
  )
  const sends: WorkQueue = createWorkQueue(
    { ...deps, links },
    {
      ...{ name: 'crm.send', prefixes: ['send:'], turn: inbox.turn, dueAtMs: inbox.dueAtMs },
      async linksOf(tx, queue) {
        const link = await links.byId(linkIdOfSendQueue(queue), tx)
        return link === undefined ? [] : [link]
      },
    },
  )
  const underWay = createConnectionsUnderWay()
  const connect = createConnect({ ...deps, links, sides, clients, tokens, underWay, resume })
  const settings = createWebhookSettings({ ...deps, links, signing, resume, suspend: pushes.suspend })
  const views = createViews({ ...deps, backfill, tokens, sides })

  ledger.inCommit(outbox.inCommit)
  ledger.inCommit({
    phase: 'derive',
    on: ['instance.connected'],
    run: (tx, { instanceId }) => inbox.connected(tx, instanceId),
  })
  instances.subscribe(async (tx, change) => {
    if (change.kind !== 'deleted' && change.kind !== 'transferred') return
    // Tokens, secrets and the people in the CRM belong to the account that connected it.
    await links.endOf(tx, change.id)
    await tx.run(removeStatesOf, { instanceId: change.id })
    underWay.end(({ instanceId }) => instanceId === change.id)
  })

  const getLink = async ({ id }: Pick<InstanceSubject, 'id'>, kind: CrmLink['kind']): Promise<CrmLink> => {
    const link = await links.find(id, kind)
    if (link === undefined) throw notConnected(kind)
    return link
  }

  const remove = ({ id }: Pick<InstanceSubject, 'id'>, kind: CrmLink['kind']): Promise<void> =>
    db.commit(async (tx) => {
      const link = await links.find(id, kind, tx)
      if (link !== undefined) await links.end(tx, link)
    })

  const prune: Chore = {
    name: 'crm',
    begin: () => async () => {
      const before = clock.now() - KEPT_MS
      const counts = await db.commit(async (tx) => {
        const turns = [pruneFailed, pruneStatuses, pruneWritten, pruneHidden]
        const pruned: number[] = []
        for (const statement of turns) pruned.push(await tx.run(statement, { before, limit: PRUNED_AT_ONCE }))
        return pruned
      })
      await settings.wipeExpired()
      return counts.some((count) => count === PRUNED_AT_ONCE)
    },
  }

  return {
    connect: connect.connect,
    change: createChanges({ db, links, backfill, wakePush, wakeSend, resume }),
    remove,
    startBackfill: async (instance: InstanceSubject, kind: CrmLink['kind'], days: number) =>
      backfill.start(await getLink(instance, kind), days),
    viewGhl: async (instance: InstanceSubject) => views.ghl(instance, await links.find(instance.id, 'ghl')),
    viewWebhook: async ({ id }: InstanceSubject) => views.webhook(await links.find(id, 'webhook')),
    setWebhook: settings.set,
    rotateSecret: settings.rotate,
    simulated: createSimulated(deps),
    attention: createAttention({ db, links, instances }),
    api: {
      addCall: outbox.addCall,
      movePerson: createMove(links),
      async endCreatedBy(tx, creator) {
        await tx.run(removeStatesCreatedBy, { creator })
        underWay.end(({ createdBy }) => createdBy === creator)
        await settings.endSecretsOf(tx, creator)
      },
      async secretsOf(creator) {
        const secrets = await links.bySecretOf(creator)
        return Promise.all(
          secrets.map(async ({ accountId, instanceId, secretLast4 }) => {
            const instance = await instances.find({ one: db.readOne }, accountId, instanceId)
            return { instanceId, instanceName: instance?.name ?? '', last4: secretLast4 ?? '' }
          }),
        )
      },
      callbacks: {
        ghl: createCallbacks({ ...deps, links, inbox, optOutSync, sides, suspend: pushes.suspend, resume }),
        consent: connect.callback,
        webhook: createInbound({ db, links, inbox, optOutSync, signing }),
      },
    } satisfies Crm,
    async recover(): Promise<void> {
      await rekeyPeople(db)
      await links.load()
      await pushes.recover()
      await sends.recover()
    },
    start: simulator.start,
    retention: prune,
    async close(): Promise<void> {
      await sides.close()
      await simulator.close()
    },
  }
}

export type CrmRoom = ReturnType<typeof createCrm>
