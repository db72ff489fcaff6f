import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { personKey } from '../../kernel/phone-number.ts'
import type { Instances, KnownInstance } from '../instances/index.ts'
import { insertFusion, partnerOf } from './store.ts'

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly instances: Pick<Instances, 'find'>
}

interface FuseCall {
  readonly accountId: AccountId
  /** The official instance, which the caller may access. */
  readonly officialId: InstanceId
  readonly smv2Id: string
  /** Whether the caller's key may access an instance. */
  readonly mayReach: (id: string) => boolean
}

/** An instance and the one it is fused with. */
export interface Pair {
  readonly instance: KnownInstance
  readonly fused: boolean
  /** null also if the caller's key may not access the partner. */
  readonly partner: KnownInstance | null
}

/** @throws ApiError for the first violated rule; nothing is fused then. */
export type Fuse = (call: FuseCall) => Promise<Pair>

/** Runs as one commit: neither instance can be deleted, recreated or fused elsewhere in between. */
export function createFuse({ db, clock, instances }: Deps): Fuse {
  return ({ accountId, officialId, smv2Id, mayReach }) =>
    db.commit(async (tx) => {
      const official = await instances.find(tx, accountId, officialId)
      const smv2 = mayReach(smv2Id) ? await instances.find(tx, accountId, smv2Id) : undefined
      if (!official) throw unknown('There is no instance with this id.')
      if (!smv2) throw unknown('No instance has the id in smv2_instance_id.')
      refuseEngines(official, smv2)
      refuseNetworks(official, smv2)
      await refuseFused(tx, official, smv2)
      const number = commonNumber(official, smv2)
      await tx.run(insertFusion, { officialId, smv2Id: smv2.id, number, now: clock.now() })
      return { instance: official, fused: true, partner: smv2 }
    })
}

const unknown = (message: string) => new ApiError('not_found', message)

/** The path was checked before the handler ran; this checks the instance in the body. */
function refuseEngines(official: KnownInstance, smv2: KnownInstance): void {
  if (official.engine === 'official' && smv2.engine === 'smv2') return
  throw new ApiError(
    'engine_mismatch',
    `smv2_instance_id is an ${smv2.engine} instance. Use the id of an smv2 instance with the same number.`,
  )
}

function refuseNetworks(official: KnownInstance, smv2: KnownInstance): void {
  if (official.network === smv2.network) return
  throw new ApiError(
    'invalid_state',
    `The official instance is on the ${official.network} network and the smv2 instance on the ${smv2.network} network. Both must be on the same network.`,
  ).because('networks_differ')
}

async function refuseFused(tx: Tx, ...sides: KnownInstance[]): Promise<void> {
  for (const { id, engine } of sides) {
    if ((await tx.one(partnerOf, { id })) === undefined) continue
    throw new ApiError('already_fused', `The ${engine} instance is already fused. Remove that fusion first.`)
  }
}

/** @returns the number of both, in canonical form. */
function commonNumber(official: KnownInstance, smv2: KnownInstance): string {
  const [one, other] = [official, smv2].map(numberOf)
  if (one !== undefined && one === other) return one
  throw new ApiError(
    'phone_mismatch',
    `The official instance has the number ${official.phoneNumber}, the smv2 instance ${smv2.phoneNumber}. Both must have the same number.`,
  )
}

function numberOf({ engine, phoneNumber }: KnownInstance): string {
  if (phoneNumber !== null) return personKey(phoneNumber)
  throw new ApiError(
    'invalid_state',
    `The number of the ${engine} instance is not known yet. Connect it first.`,
  ).because('network_unknown_yet')
}
