import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { personKey } from '../../kernel/phone-number.ts'
import type { InstanceListener, Instances } from '../instances/index.ts'
import { createFuse, type Fuse, type Pair } from './fuse.ts'
import { partnerOf, removeFusion, removeFusionOfOther } from './store.ts'

export type { Pair } from './fuse.ts'

export interface FusionDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly instances: Pick<Instances, 'find' | 'subscribe'>
}

interface PairCall {
  readonly accountId: AccountId
  readonly id: InstanceId
  /** Whether the caller's key may access an instance. */
  readonly mayReach: (id: string) => boolean
}

export interface Fusion {
  readonly fuse: Fuse
  /** A partner that the caller may not access is hidden. @throws ApiError not_found */
  readonly read: (call: PairCall) => Promise<Pair>
  /**
   * Ends the fusion for both; safe to repeat. @throws ApiError not_found, also when the caller may not access the
   * partner.
   */
  readonly remove: (call: PairCall) => Promise<Pair>
  /** The other instance of the same number, which may have received the same message already. */
  readonly partnerOf: (read: Pick<Tx, 'one'>, id: InstanceId) => Promise<InstanceId | undefined>
}

export function createFusion({ db, clock, instances }: FusionDeps): Fusion {
  instances.subscribe(removeOnChange)

  async function pairOf(read: Pick<Tx, 'one'>, { accountId, id, mayReach }: PairCall): Promise<Pair> {
    const instance = await instances.find(read, accountId, id)
    const fused = await read.one(partnerOf, { id })
    if (!instance) throw notFound()
    const partner = fused && mayReach(fused.partnerId) ? await instances.find(read, accountId, fused.partnerId) : null
    return { instance, fused: fused !== undefined, partner: partner ?? null }
  }

  return {
    fuse: createFuse({ db, clock, instances }),
    read: (call) => pairOf({ one: db.readOne }, call),
    remove: (call) =>
      db.commit(async (tx) => {
        const { instance, fused, partner } = await pairOf(tx, call)
        // Ending the fusion also affects the partner.
        if (fused && partner === null) throw notFound()
        await tx.run(removeFusion, { id: call.id })
        return { instance, fused: false, partner: null }
      }),
    partnerOf: async (read, id) => (await read.one(partnerOf, { id }))?.partnerId,
  }
}

const notFound = () => new ApiError('not_found', 'There is no instance with this id.')

/** A fusion lasts while both instances have the same number. A logged-out instance may return with it. */
const removeOnChange: InstanceListener = async (tx, change) => {
  const { id } = change
  if (change.kind !== 'number') await tx.run(removeFusion, { id })
  else await tx.run(removeFusionOfOther, { id, number: personKey(change.number) })
}
