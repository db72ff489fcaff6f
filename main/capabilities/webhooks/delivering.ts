import type { Clock } from '../../kernel/clock.ts'
import { createWorker } from '../../kernel/worker.ts'
import type { Attempt, Finished } from './attempt.ts'
import { createClaims } from './claim.ts'
import { createDeliver, cutOff } from './deliver.ts'
import { createHolding } from './holding.ts'
import type { Keyring } from './keyring.ts'
import type { WebhooksNeeds } from './needs.ts'
import { createRecord } from './record.ts'
import { createRecovery } from './recovery.ts'
import type { WebhookRow } from './store.ts'
import { createTargets } from './targets.ts'

type DeliveringNeeds = Pick<
  WebhooksNeeds,
  'db' | 'clock' | 'random' | 'outbound' | 'seal' | 'config' | 'live' | 'log'
> & {
  readonly keyring: Keyring
  readonly wipeExpired: () => Promise<void>
}

const WIPE_MS = 30_000
const PASS_MS = 3_600_000

/** Delivery as one machine: what is due is claimed, sent, judged and recorded; memory follows what owners change. */
export function createDelivering(needs: DeliveringNeeds) {
  const { db, clock, random, outbound, seal, config, live, log, keyring } = needs
  const targets = createTargets({ clock })
  const claims = createClaims({ db, clock, seal, keyring, targets, log })
  const schedule = config.retryScheduleSeconds
  const results = createRecord({
    ...{ db, clock, random, schedule, log },
    onRecorded: (id) => live.tell({ topic: 'deliveries', id }),
    onDeactivated({ seq, id }) {
      targets.retire(seq)
      live.tell({ topic: 'webhooks', id })
    },
  })
  const recovery = createRecovery({ db, clock, log, record: results })
  const holding = createHolding({ db, clock, log })
  // The judge of faults of this machine (offline, captive portal, wrong clock) takes its place here.
  const deliver = createDeliver({ clock, outbound, targets, isLocalFault: () => false })
  const chores = [whenDue(clock, WIPE_MS, needs.wipeExpired), whenDue(clock, PASS_MS, holding.pass)]

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

  return {
    holding,
    asTarget: claims.asTarget,
    /** These webhooks were given something to deliver. */
    wake(webhooks: readonly { seq: number; maxInFlight: number }[]): void {
      for (const { seq, maxInFlight } of webhooks) targets.stir(seq, maxInFlight)
      worker.wake()
    },
    /** A redelivery was claimed; it takes the first slot that frees. */
    redeliver(attempt: Attempt, maxInFlight: number): void {
      targets.redeliver(attempt, maxInFlight)
      worker.wake()
    },
    changed(before: WebhookRow, after: WebhookRow): void {
      const { seq, maxInFlight } = after
      if (after.state !== 'active') return targets.retire(seq)
      if (before.state !== 'active' || before.url !== after.url) targets.restart(seq)
      targets.stir(seq, maxInFlight)
      worker.wake()
    },
    deleted(seq: number): void {
      keyring.forget(seq)
      // Accepted, but not sent any more. Should the storage refuse, the next opening records the same.
      for (const attempt of targets.drop(seq)) void results.record(attempt, cutOff(clock)).catch(() => {})
    },
    async recover(): Promise<void> {
      await recovery.releaseAbandoned()
      await recovery.clampDueTimes()
    },
    start: () => worker.start(),
    stop: (drainMs: number) => worker.stop(drainMs),
    gauges: () => worker.gauges(),
  }
}

/** Does it the first time it is asked, and then whenever `ms` have passed. */
function whenDue(clock: Pick<Clock, 'mono'>, ms: number, act: () => Promise<void>): () => Promise<void> {
  let last = -Infinity
  return async () => {
    if (clock.mono() - last < ms) return
    last = clock.mono()
    await act()
  }
}
