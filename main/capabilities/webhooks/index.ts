import { ApiError } from '../../contract/errors.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { createAttention } from './attention.ts'
import { createDeliveries } from './deliveries.ts'
import { createDeliveryWorker } from './delivery-worker.ts'
import { createEnqueue } from './enqueue.ts'
import { createKeyring } from './keyring.ts'
import type { WebhooksDeps } from './deps.ts'
import { createRedelivery } from './redelivery.ts'
import { createReplay } from './replay.ts'
import { retainDeliveries } from './retention.ts'
import { createRotation } from './rotation.ts'
import { webhookTally } from './store.ts'
import { createTestEvent } from './test-event.ts'
import { createWebhookOperations } from './webhook-operations.ts'

export { checkInvariants } from './invariants.ts'
export { newSecret } from './secret.ts'
export { signature } from './signature.ts'

export type Webhooks = ReturnType<typeof createWebhooks>

/** Account webhooks: subscriptions, deliveries and attempts. Subscribes to the ledger and knows no other room. */
export function createWebhooks(deps: WebhooksDeps) {
  const { db, clock, ids, ledger, seal, cursors } = deps
  const keyring = createKeyring({ seal })
  const rotation = createRotation({ ...deps, keyring })
  const deliveryWorker = createDeliveryWorker({ ...deps, keyring, wipeExpired: rotation.wipeExpired })
  const deliveries = createDeliveries({ db, cursors })
  const { heldDeliveries, asTarget } = deliveryWorker
  const acts = createWebhookOperations({
    ...deps,
    heldDeliveries,
    onChanged: deliveryWorker.changed,
    onDeleted: deliveryWorker.deleted,
  })
  const redeliver = createRedelivery({ db, clock, asTarget, start: deliveryWorker.redeliver })
  const test = createTestEvent({ ...deps, wake: deliveryWorker.wake })
  ledger.inCommit(createEnqueue({ ids, wake: deliveryWorker.wake }))

  return {
    ...acts,
    rotate: rotation.rotate,
    /** Sends an example to this webhook alone. @throws ApiError not_found, invalid_state, sealed */
    async test(accountId: AccountId, id: string) {
      if (seal.state() === 'sealed') throw cannotSign()
      return test(accountId, id)
    },
    replay: createReplay({ ...deps, wake: deliveryWorker.wake }),
    listDeliveries: deliveries.list,
    listEventDeliveries: deliveries.listOfEvent,
    getDelivery: deliveries.get,
    /** @throws ApiError not_found, retry_limit_reached, invalid_state, sealed */
    async redeliver(accountId: string, id: string) {
      if (seal.state() === 'sealed') throw cannotSign()
      return redeliver(accountId, id)
    },
    /** An account is active again: what waited is delivered without waiting for the next look. */
    lookAgain: deliveryWorker.lookAgain,
    /** Every secret a delivery of this account to this address may be signed with now. */
    signingSecrets: rotation.signingSecrets,
    /** Open deliveries of an instance's events: not answered yet, and being retried after a failure. */
    gauges: deliveries.gauges,
    /** How many the account has, and how many of them were given up. */
    tally: async (accountId: AccountId) =>
      (await db.readOne(webhookTally, { accountId })) ?? { total: 0, deactivated: 0 },
    /** Its lines of the overview. */
    attention: createAttention({ db }),
    /** Open deliveries of the account, each kind counted up to `most`. */
    deliveriesTally: deliveries.tally,
    /** When the account's delivery that has waited longest became, or becomes, due. */
    deliveriesDueSinceMs: deliveries.dueSinceMs,
    /** At each opening of the database, before listening: what the last process left under way is due again. */
    recover: deliveryWorker.recover,
    start: deliveryWorker.start,
    /** Lets attempts under way end for `drainMs`, cuts off the rest uncounted, and resolves when all is on disk. */
    stop: deliveryWorker.stop,
    /** Prunes old deliveries. */
    retention: retainDeliveries({ db, clock }),
    /** What is wrong with this machine, so that deliveries suffer from it; sentences for people. */
    machineProblems: deliveryWorker.machineProblems,
    /** What the delivery worker is doing at the moment. */
    worker: deliveryWorker.gauges,
  }
}

function cannotSign(): ApiError {
  return new ApiError('sealed', 'The keychain is locked, so webhooks cannot be signed. Unlock it and try again.')
}
