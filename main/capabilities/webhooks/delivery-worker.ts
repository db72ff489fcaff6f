import { setMaxListeners } from 'node:events'
import type { Clock } from '../../kernel/clock.ts'
import { createWorker } from '../../kernel/worker.ts'
import type { Attempt, FinishedAttempt } from './attempt.ts'
import { createClaims } from './claim.ts'
import { createDeliver, interruptedAttempt } from './deliver.ts'
import { createHeldDeliveries } from './held-deliveries.ts'
import type { Keyring } from './keyring.ts'
import type { WebhooksDeps } from './deps.ts'
import { createNetworkHealth } from './network-health.ts'
import { createAttemptRecorder } from './attempt-recorder.ts'
import { createCrashRecovery } from './crash-recovery.ts'
import { createClockSkew } from './clock-skew.ts'
import type { WebhookRow } from './store.ts'
import { createOutageRecovery } from './outage-recovery.ts'
import { createWebhookQueues } from './webhook-queues.ts'
import { describeMachineProblems } from './machine-problems.ts'

type DeliveryWorkerDeps = Pick<
  WebhooksDeps,
  | 'db'
  | 'clock'
  | 'random'
  | 'apiActivity'
  | 'clockJumps'
  | 'outbound'
  | 'seal'
  | 'config'
  | 'live'
  | 'log'
  | 'writeGate'
> & {
  readonly keyring: Keyring
  readonly wipeExpired: () => Promise<void>
}

const WIPE_MS = 30_000
const PASS_MS = 3_600_000

/** Delivery as one machine: what is due is claimed, sent, judged and recorded; memory follows what owners change. */
export function createDeliveryWorker(needs: DeliveryWorkerDeps) {
  const { db, clock, random, apiActivity, clockJumps, outbound, seal, config, live, log, keyring, writeGate } = needs
  const targets = createWebhookQueues({ clock })
  const skew = createClockSkew()
  const reach = createNetworkHealth({
    clock,
    isAttached: outbound.hasNetwork,
    onChange() {
      const problem = reach.problem()
      log.warn({ event: 'delivery.reach', problem: problem?.kind ?? 'none' })
      live.publish({ topic: 'service' })
      if (problem === undefined) targets.restartAll()
    },
  })
  const isInside = (url: string) => outbound.parseHost(url)?.isSimulated === true
  const claims = createClaims({ db, clock, seal, keyring, targets, reach, isInside, log })
  const schedule = config.retryScheduleSeconds
  const results = createAttemptRecorder({
    ...{ db, clock, random, schedule, log },
    onRecorded({ webhookId, webhookSeq }, verdict, isCurrent) {
      live.publish({ topic: 'deliveries', id: webhookId })
      if (isCurrent && verdict.webhook === 'exhausted') {
        live.publish({ topic: 'deliveries', id: webhookId, type: 'exhausted' })
      }
      sweep.note(webhookSeq, verdict)
    },
    onDeactivated({ seq, id }) {
      targets.retire(seq)
      live.publish({ topic: 'webhooks', id, type: 'deactivated' })
    },
  })
  const sweep = createOutageRecovery({
    ...{ db, clock, log },
    windowOf: targets.windowOf,
    onSwept(seq) {
      targets.stirAgain(seq)
      worker.wake()
    },
  })
  const recovery = createCrashRecovery({ db, clock, log, record: results })
  const holding = createHeldDeliveries({ db, clock, log })
  let underWay = withoutListenerLimit(new AbortController())
  const callOff = () => underWay.signal
  const deliver = createDeliver({ clock, outbound, targets, clockJumps, reach, callOff, onDate: skew.note })
  let isAfterJump = false
  let networkRevision = outbound.networkRevision()

  /** What is under way has no known end, and no due time is what it was. The clamp waits for the next tick. */
  clockJumps.onJump(() => {
    underWay.abort()
    underWay = withoutListenerLimit(new AbortController())
    targets.restartAll()
    reach.probeNow()
    skew.forget()
    isAfterJump = true
  })

  async function settleAfterGap(): Promise<void> {
    if (!isAfterJump) return
    await recovery.clampDueTimes()
    isAfterJump = false
  }

  function watchNetwork(): void {
    const revision = outbound.networkRevision()
    if (revision !== networkRevision) reach.probeNow()
    networkRevision = revision
  }

  const chores = [every(clock, WIPE_MS, needs.wipeExpired), every(clock, PASS_MS, holding.pass)]

  const worker = createWorker<Attempt, FinishedAttempt>({
    clock,
    apiActivity,
    log,
    writeGate,
    work: {
      name: 'deliveries',
      claim: claims.claim,
      act: deliver,
      interruptedResult: () => interruptedAttempt(clock),
      record: results.record,
      async tick() {
        watchNetwork()
        await settleAfterGap()
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
      if (before.state !== 'active' || before.url !== after.url) {
        targets.restart(seq)
        sweep.forget(seq)
      }
      targets.stir(seq, maxInFlight)
      worker.wake()
    },
    deleted(seq: number): void {
      keyring.forget(seq)
      sweep.forget(seq)
      // Accepted, but not sent any more. Should the storage refuse, the next opening records the same.
      const dropped = targets.drop(seq).map((job) => ({ job, result: interruptedAttempt(clock) }))
      if (dropped.length > 0) void results.record(dropped).catch(() => {})
    },
    async recover(): Promise<void> {
      await recovery.releaseAbandoned()
      await recovery.clampDueTimes()
    },
    start: () => worker.start(),
    stop: (drainMs: number) => worker.stop(drainMs),
    gauges: () => worker.gauges(),
    troubles: () => describeMachineProblems(reach, skew),
  }
}

/** Each request under way listens, and that is no leak. */
function withoutListenerLimit(controller: AbortController): AbortController {
  setMaxListeners(0, controller.signal)
  return controller
}

/** Does it the first time it is asked, and then whenever `ms` have passed. */
function every(clock: Pick<Clock, 'mono'>, ms: number, act: () => Promise<void>): () => Promise<void> {
  let last = -Infinity
  return async () => {
    if (clock.mono() - last < ms) return
    last = clock.mono()
    await act()
  }
}
