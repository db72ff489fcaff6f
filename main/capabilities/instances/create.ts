import { ApiError } from '../../contract/errors.ts'
import type { InstanceRecord } from '../../contract/instance.ts'
import type { Engine as EngineName, Network } from '../../contract/shapes.ts'
import type { EngineInstance } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { stillBusy, type Idempotency } from '../../kernel/idempotency.ts'
import type { AccountId, Ids } from '../../kernel/ids.ts'
import { occupySlot } from '../account/index.ts'
import type { Announce } from './announce.ts'
import { engineOf, type Engines } from './engines.ts'
import { onboardingUrl, toRecord } from './record.ts'
import { freeInstanceName } from './slug.ts'
import { byId, insertInstance, liveByExternalRef, toInstance, type Instance } from './store.ts'

interface Needs {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'instance'>
  readonly announce: Announce
  readonly engines: Engines
  readonly idempotency: Idempotency
  readonly plan: { readonly slots: number; readonly network: Network }
  readonly baseUrl: () => string
}

export interface NewInstance {
  readonly name?: string
  readonly engine?: EngineName
  readonly network?: Network
  readonly external_ref?: string | null
  readonly metadata?: Record<string, string> | null
}

export interface CreateCall {
  readonly accountId: AccountId
  readonly wish: NewInstance
  /** The body before defaults, and its Idempotency-Key when one was sent. */
  readonly rawBody: unknown
  readonly idempotencyKey: string | null
}

/** The answer, as the bytes that a repeat will get as well. */
export interface Created {
  readonly bytes: Buffer
  readonly replayed: boolean
}

export type Create = (call: CreateCall) => Promise<Created>

/**
 * One commit: claims the key, occupies a slot, inserts the row, records `instance.created`, settles the key with the
 * exact answer. Whatever is refused inside leaves nothing behind, a claimed key included.
 */
export function createCreate(needs: Needs): Create {
  const { db, clock, ids, announce, engines, idempotency, plan, baseUrl } = needs

  return async ({ accountId, wish, rawBody, idempotencyKey: key }) => {
    const { engine = 'smv2', network = plan.network } = wish
    const subject: EngineInstance = { id: ids.instance(), accountId, engine, network }
    const fp = key === null ? null : idempotency.fingerprint('POST instances', accountId, rawBody)
    // Before the commit, because inside it nothing but storage may be awaited.
    const token = (await engines[network][engine]?.onboarding?.token(subject)) ?? null

    return db.commit(async (tx): Promise<Created> => {
      if (key !== null && fp !== null) {
        const claim = await idempotency.claim(tx, { scopeId: accountId, key, fp, subjectId: subject.id, boot: db.boot })
        if (claim.kind === 'replay') return { bytes: claim.body, replayed: true }
        if (claim.kind === 'busy') throw stillBusy(claim)
      }
      engineOf(engines, subject)
      const instance = await insert(tx, subject, wish)
      await announce(tx, subject.id, 'instance.created', { name: instance.name, engine, status: instance.status })
      const record: InstanceRecord = toRecord(instance, onboardingUrl(baseUrl(), token))
      const bytes = Buffer.from(JSON.stringify(record))
      if (key !== null) await idempotency.settle(tx, accountId, key, 201, bytes, subject.id)
      return { bytes, replayed: false }
    })
  }

  async function insert(tx: Tx, { id, accountId, engine, network }: EngineInstance, wish: NewInstance): Promise<Instance> {
    const slot = await occupySlot(tx, accountId, clock.now())
    if (slot.inUse > plan.slots) {
      throw new ApiError('no_free_slot', `All ${plan.slots} instance slots of the plan are in use. Delete an instance, or raise the setting slots.`)
    }
    const { external_ref: externalRef = null, metadata = null, name = `Instance ${slot.number}` } = wish
    if (externalRef !== null) await refuseTakenRef(tx, accountId, externalRef)
    const instanceName = await freeInstanceName(tx, accountId, name, slot.number)
    const words = { name, instanceName, externalRef, metadata: metadata === null ? null : JSON.stringify(metadata) }
    await tx.run(insertInstance, { id, accountId, engine, network, ...words, at: slot.changeAtMs })
    const row = await tx.one(byId, { id })
    if (!row) throw new Error('The instance just inserted is not there')
    return toInstance(row)
  }
}

/** @throws ApiError external_ref_conflict when another live instance of the account has it. */
export async function refuseTakenRef(tx: Tx, accountId: AccountId, externalRef: string, ownId?: string): Promise<void> {
  const holder = await tx.one(liveByExternalRef, { accountId, externalRef })
  if (!holder || holder.id === ownId) return
  throw new ApiError(
    'external_ref_conflict',
    `external_ref ${JSON.stringify(externalRef)} is already used by another instance of this account. Use another one, or clear it there first.`,
  )
}
