import { ApiError } from '../../contract/errors.ts'
import type { InstanceRecord } from '../../contract/instance.ts'
import type { Engine as EngineName, Network } from '../../contract/shapes.ts'
import type { EngineInstance } from '../../engines/engine.ts'
import type { Creator } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import type { AccountId, Ids } from '../../kernel/ids.ts'
import { keyedRequest, type KeyedRequest } from '../../kernel/keyed-request.ts'
import { occupySlot } from '../account/index.ts'
import type { Announce } from './announce.ts'
import { engineOf, type Engines } from './engines.ts'
import { onboardingUrl, toRecord } from './record.ts'
import { freeInstanceName } from './slug.ts'
import { byId, insertInstance, liveByExternalRef, toInstance, type Instance } from './store.ts'

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'instance'>
  readonly announce: Announce
  readonly engines: Engines
  readonly idempotency: Idempotency
  readonly plan: { readonly network: Network }
  /** @throws ApiError no_free_slot if the account has more instances than slots. */
  readonly requireSlot: (tx: Tx, accountId: AccountId) => Promise<void>
  readonly baseUrl: () => string
}

interface NewInstance {
  readonly name?: string
  readonly engine?: EngineName
  readonly network?: Network
  readonly external_ref?: string | null
  readonly metadata?: Record<string, string> | null
}

export interface CreateCall {
  readonly accountId: AccountId
  /** Who is shown the onboarding link. */
  readonly createdBy: Creator | null
  readonly wish: NewInstance
  /** The body before defaults, and its Idempotency-Key when one was sent. */
  readonly rawBody: unknown
  readonly idempotencyKey: string | null
}

interface Created {
  readonly record: InstanceRecord
  /** A repeat with the same Idempotency-Key: the record is as the first response gave it. */
  readonly replayed: boolean
}

export type Create = (call: CreateCall) => Promise<Created>

/**
 * One commit: claims the key, occupies a slot, inserts the row, records `instance.created`, settles the key with the
 * record. Whatever is refused inside leaves nothing behind, a claimed key included.
 */
export function createCreate(deps: Deps): Create {
  const { db, clock, ids, announce, engines, idempotency, plan, requireSlot, baseUrl } = deps

  return async ({ accountId, createdBy, wish, rawBody, idempotencyKey: key }) => {
    const { engine = 'smv2', network = plan.network } = wish
    const subject: EngineInstance = { id: ids.instance(), accountId, engine, network }
    const request = { operation: 'POST instances', scopeId: accountId, key, rawBody }
    const keyed = keyedRequest({ db, idempotency }, request)
    const earlier = await keyed.earlier()
    if (earlier !== undefined) return replay(earlier)
    const onboarding = engines[network][engine]?.onboarding
    // Made before the commit, because only storage may be awaited inside it.
    const url = onboarding ? onboardingUrl(baseUrl(), await onboarding.token(subject)) : null
    // The token belongs to an instance that was not created.
    const dropToken = async () => {
      if (onboarding) await engines[network][engine]?.wipe(subject).catch(() => {})
    }
    try {
      const created = await db.commit((tx) => commit(tx, { subject, createdBy }, wish, keyed, url))
      if (created.replayed) await dropToken()
      return created
    } catch (error) {
      await dropToken()
      throw error
    }
  }

  async function commit(
    tx: Tx,
    { subject, createdBy }: { readonly subject: EngineInstance; readonly createdBy: Creator | null },
    wish: NewInstance,
    keyed: KeyedRequest,
    url: string | null,
  ): Promise<Created> {
    const { id, engine } = subject
    const earlier = await keyed.claim(tx, id)
    if (earlier !== undefined) return replay(earlier)
    engineOf(engines, subject)
    const instance = await insert(tx, subject, createdBy, wish)
    await announce(tx, id, 'instance.created', { name: instance.name, engine, status: instance.status })
    const record = toRecord(instance, url)
    await keyed.settle(tx, id, Buffer.from(JSON.stringify(record)))
    return { record, replayed: false }
  }

  async function insert(
    tx: Tx,
    { id, accountId, engine, network }: EngineInstance,
    createdBy: Creator | null,
    wish: NewInstance,
  ): Promise<Instance> {
    const slot = await occupySlot(tx, accountId, clock.now())
    await requireSlot(tx, accountId)
    const { external_ref: externalRef = null, metadata = null, name = `Instance ${slot.number}` } = wish
    if (externalRef !== null) await refuseTakenRef(tx, accountId, externalRef)
    const instanceName = await freeInstanceName(tx, accountId, name, slot.number)
    const words = { name, instanceName, externalRef, metadata: metadata === null ? null : JSON.stringify(metadata) }
    await tx.run(insertInstance, { id, accountId, engine, network, createdBy, ...words, at: slot.changeAtMs })
    const row = await tx.one(byId, { id })
    if (!row) throw new Error('The instance just inserted is not there')
    return toInstance(row)
  }
}

/** The response to the first request with this key, which was written above. */
const replay = (answer: Buffer): Created => ({
  record: JSON.parse(answer.toString()) as InstanceRecord,
  replayed: true,
})

/** @throws ApiError external_ref_conflict when another live instance of the account has it. */
export async function refuseTakenRef(tx: Tx, accountId: AccountId, externalRef: string, ownId?: string): Promise<void> {
  const holder = await tx.one(liveByExternalRef, { accountId, externalRef })
  if (!holder || holder.id === ownId) return
  throw new ApiError(
    'external_ref_conflict',
    `external_ref ${JSON.stringify(externalRef)} is already used by another instance of this account. Use a different one, or clear it there first.`,
  )
}
