import { ApiError } from '../../contract/errors.ts'
import type { Config } from '../../config.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Ids, Random } from '../../kernel/ids.ts'
import type { Ledger } from '../../kernel/ledger.ts'
import type { Log } from '../../kernel/log.ts'
import type { Outbound } from '../../kernel/outbound.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { Seal } from '../../kernel/seal.ts'
import { sql } from '../../kernel/sql.ts'
import { createWorker } from '../../kernel/worker.ts'
import type { Attempt, Finished } from './attempt.ts'
import { createClaims } from './claim.ts'
import { createDeliver, cutOff } from './deliver.ts'
import { createDeliveries } from './deliveries.ts'
import { createEnqueue } from './enqueue.ts'
import { createHolding } from './holding.ts'
import { createKeyring } from './keyring.ts'
import { createRecord } from './record.ts'
import { createRecovery } from './recovery.ts'
import { createRedelivery } from './redelivery.ts'
import { createRotation } from './rotation.ts'
import { createTargets } from './targets.ts'
import { createWebhookActs } from './webhook.ts'

export { checkInvariants } from './invariants.ts'
export { webhooksContract } from './contract.ts'
export { webhooksHandlers } from './handlers.ts'

export interface WebhooksNeeds {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly ids: Pick<Ids, 'webhook' | 'delivery'>
  readonly ledger: Pick<Ledger, 'hear'>
  readonly outbound: Pick<Outbound, 'checkUrl' | 'request'>
  readonly seal: Seal
  readonly cursors: Cursors
  readonly config: Pick<Config, 'retryScheduleSeconds'>
  readonly log: Log
}

export type Webhooks = ReturnType<typeof createWebhooks>

const CHORES_MS = 30_000
const PASS_MS = 3_600_000

const gaugesOf = sql<{ instanceId: string }, { status: string; count: number }>(
  `SELECT status, COUNT(*) AS count FROM deliveries
    WHERE instance_id = :instanceId AND next_attempt_at IS NOT NULL GROUP BY status`,
)

/** Account webhooks: who listens, what they are owed, and its delivery. Hears the ledger; no other room is known here. */
export function createWebhooks(needs: WebhooksNeeds) {
  const { db, clock, random, ids, ledger, outbound, seal, cursors, config, log } = needs
  const targets = createTargets({ clock })
  const keyring = createKeyring({ seal })
  const claims = createClaims({ db, clock, seal, keyring, targets, log })
  const schedule = config.retryScheduleSeconds
  const results = createRecord({ db, clock, random, schedule, log, onDeactivated: (seq) => targets.retire(seq) })
  const holding = createHolding({ db, clock, log })
  const recovery = createRecovery({ db, clock, log, record: results })
  const rotation = createRotation({ db, clock, random, seal, keyring })
  const deliveries = createDeliveries({ db, cursors })
  // The classifier of faults of this machine (offline, captive portal, fake-IP VPN) takes its place here.
  const deliver = createDeliver({ clock, outbound, targets, isLocalFault: () => false })
  const chores = [everyNow(clock, CHORES_MS, rotation.wipeExpired), everyNow(clock, PASS_MS, holding.pass)]

  const worker = createWorker<Attempt, Finished>({
    clock,
    log,
    work: {
      name: 'deliveries',
      claim: claims.claim,
      act: deliver,
      cutOff: () => cutOff(clock),
      record: results.record,
      async tick() {
        await claims.look()
        worker.wake()
        for (const chore of chores) await chore()
      },
    },
  })

  ledger.hear(
    createEnqueue({
      ids,
      wake(webhooks) {
        for (const { seq, maxInFlight } of webhooks) targets.stir(seq, maxInFlight)
        worker.wake()
      },
    }),
  )

  const acts = createWebhookActs({
    db,
    clock,
    random,
    ids,
    outbound,
    seal,
    holding,
    onChanged({ seq, before, after }) {
      if (after.state !== 'active') return targets.retire(seq)
      if (before.state !== 'active' || before.url !== after.url) targets.restart(seq)
      targets.stir(seq, after.maxInFlight)
      worker.wake()
    },
    onDeleted(seq) {
      keyring.forget(seq)
      for (const attempt of targets.drop(seq)) void results.record(attempt, cutOff(clock)).catch(() => {})
    },
  })

  const redeliver = createRedelivery({
    db,
    clock,
    asTarget: claims.asTarget,
    start(attempt, maxInFlight) {
      targets.redeliver(attempt, maxInFlight)
      worker.wake()
    },
  })

  return {
    ...acts,
    rotate: rotation.rotate,
    listDeliveries: deliveries.list,
    getDelivery: deliveries.get,
    /** @throws ApiError not_found, retry_limit_reached, invalid_state, sealed */
    async redeliver(accountId: string, id: string) {
      if (seal.state() === 'sealed') throw new ApiError('sealed', 'The keychain is locked, so nothing can be signed. Unlock it and try again.')
      return redeliver(accountId, id)
    },
    /** Every secret a delivery of this account to this address may be signed with now. */
    signingSecrets: rotation.signingSecrets,
    /** Open deliveries of an instance's events: not answered yet, and being retried after a failure. */
    async gauges(instanceId: string): Promise<{ pending: number; failing: number }> {
      const rows = await db.read(gaugesOf, { instanceId })
      const count = (status: string) => rows.find((row) => row.status === status)?.count ?? 0
      return { pending: count('pending'), failing: count('failed') }
    },
    /** At each opening of the database, before listening. */
    async recover(): Promise<void> {
      await recovery.releaseAbandoned()
      await recovery.clampDueTimes()
    },
    start: () => worker.start(),
    /** Lets attempts under way end for `drainMs`, cuts off the rest uncounted, and resolves when all is on disk. */
    stop: (drainMs: number) => worker.stop(drainMs),
    worker: () => worker.gauges(),
  }
}

/** Does it the first time it is asked, and then whenever `ms` have passed. */
function everyNow(clock: Pick<Clock, 'mono'>, ms: number, act: () => Promise<void>): () => Promise<void> {
  let last = -Infinity
  return async () => {
    if (clock.mono() - last < ms) return
    last = clock.mono()
    await act()
  }
}
