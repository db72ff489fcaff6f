import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Entitlements } from '../entitlements/index.ts'
import { offerOf, type Offer } from './catalogue.ts'
import { allLiving, paidOneTimeOfAll, type Mode, type OrderRow, type SubscriptionRow } from './store.ts'

const SOURCE = 'billing'

type Bought = Pick<Offer, 'plan' | 'product' | 'tier'>

export interface Grants {
  /** Grants of a subscription, frozen or not; none once it has ended. */
  ofSubscription(tx: Tx, subscription: SubscriptionRow): Promise<void>
  /** Grants of a one-time purchase. */
  ofOrder(tx: Tx, order: OrderRow): Promise<void>
  revokeOrder(tx: Tx, orderId: string): Promise<void>
  /** Purchases of one mode do not count in the other. */
  switchMode(tx: Tx, mode: Mode): Promise<void>
}

export function createGrants({ entitlements }: { entitlements: Pick<Entitlements, 'grant' | 'revoke'> }): Grants {
  async function give(tx: Tx, accountId: AccountId, sourceKey: string, bought: Bought, frozen: boolean): Promise<void> {
    const offer = offerOf(bought)
    if (offer === undefined) return
    const { slots, voicePackages, features } = offer
    await entitlements.grant(tx, {
      ...{ accountId, source: SOURCE, sourceKey, slots, voicePackages, frozen },
      ...(features.length > 0 && { features }),
    })
  }
  const revoke = (tx: Tx, sourceKey: string) => entitlements.revoke(tx, { source: SOURCE, sourceKey })

  const ofSubscription: Grants['ofSubscription'] = async (tx, subscription) => {
    const { id, accountId, status } = subscription
    if (status === 'ended') return revoke(tx, id)
    return give(tx, accountId, id, subscription, status === 'frozen')
  }
  const ofOrder: Grants['ofOrder'] = (tx, order) => give(tx, order.accountId, order.id, order, false)

  return {
    ofSubscription,
    ofOrder,
    revokeOrder: revoke,
    async switchMode(tx, mode) {
      const other = mode === 'live' ? 'sandbox' : 'live'
      for (const { id } of await tx.all(allLiving, { mode: other })) await revoke(tx, id)
      for (const { id } of await tx.all(paidOneTimeOfAll, { mode: other })) await revoke(tx, id)
      for (const subscription of await tx.all(allLiving, { mode })) await ofSubscription(tx, subscription)
      for (const order of await tx.all(paidOneTimeOfAll, { mode })) await ofOrder(tx, order)
    },
  }
}
