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

/** Claims, sends, judges and records due deliveries, and applies changes of webhooks to what is kept in memory. */
export function createDeliveryWorker(deps: DeliveryWorkerDeps) {
  const { db, clock, random, apiActivity, clockJumps, outbound, seal, config, live, log, keyring, writeGate } = deps
  const queues = createWebhookQueues({ clock })
  const skew = createClockSkew()
  const networkHealth = createNetworkHealth({
    clock,
    isAttached: outbound.hasNetwork,
    onChange() {
      const problem = networkHealth.problem()
      log.warn({ event: 'delivery.network_health', problem: problem?.kind ?? 'none' })
      live.publish(null, { topic: 'service' })
      if (problem === undefined) queues.restartAll()
    },
  })
  const isInside = (url: string) => outbound.parseHost(url)?.isSimulated === true
  const claims = createClaims({ db, clock, seal, keyring, queues, networkHealth, isInside, log })
  const schedule = config.retryScheduleSeconds
  const recorder = createAttemptRecorder({
    ...{ db, clock, random, schedule, log },
    onRecorded({ accountId, webhookId, webhookSeq }, verdict, isCurrent) {
      live.publish(accountId, { topic: 'deliveries', id: webhookId })
      if (isCurrent && verdict.webhook === 'exhausted') {
        live.publish(accountId, { topic: 'deliveries', id: webhookId, type: 'exhausted' })
      }
      outageRecovery.recordVerdict(webhookSeq, verdict)
    },
    onDeactivated({ accountId, seq, id }) {
      queues.retire(seq)
      live.publish(accountId, { topic: 'webhooks', id, type: 'deactivated' })
    },
  })
  const outageRecovery = createOutageRecovery({
    ...{ db, clock, log },
    windowOf: queues.windowOf,
    onBroughtForward(seq) {
      queues.markDueAgain(seq)
      worker.wake()
    },
  })
  const crashRecovery = createCrashRecovery({ db, clock, log, record: recorder })
  const heldDeliveries = createHeldDeliveries({ db, clock, log })
  let underWay = withoutListenerLimit(new AbortController())
  const abortSignal = () => underWay.signal
  const deliver = createDeliver({
    clock,
    outbound,
    queues,
    clockJumps,
    networkHealth,
    abortSignal,
    onDate: skew.addSample,
  })
  let isAfterJump = false
  let networkRevision = outbound.networkRevision()

  /** Attempts under way end with an unknown outcome, and due times have changed. They are corrected at the next tick. */
  clockJumps.onJump(() => {
    underWay.abort()
    underWay = withoutListenerLimit(new AbortController())
    queues.restartAll()
    networkHealth.probeNow()
    skew.reset()
    isAfterJump = true
  })

  async function settleAfterGap(): Promise<void> {
    if (!isAfterJump) return
    await crashRecovery.clampDueTimes()
    isAfterJump = false
  }

  function watchNetwork(): void {
    const revision = outbound.networkRevision()
    if (revision !== networkRevision) networkHealth.probeNow()
    networkRevision = revision
  }

  const chores = [every(clock, WIPE_MS, deps.wipeExpired), every(clock, PASS_MS, heldDeliveries.pass)]

  const worker = createWorker<Attempt, FinishedAttempt>({
    clock,
    apiActivity,
    log,
    writeGate,
    work: {
      name: 'deliveries',
      deadlineMs: 30_000,
      claim: claims.claim,
      act: deliver,
      interruptedResult: () => interruptedAttempt(clock),
      record: recorder.record,
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
    heldDeliveries,
    asTarget: claims.asTarget,
    /** These webhooks have new deliveries. */
    wake(webhooks: readonly { seq: number; maxInFlight: number }[]): void {
      for (const { seq, maxInFlight } of webhooks) queues.markDue(seq, maxInFlight)
      worker.wake()
    },
    /** A redelivery was claimed; it takes the first slot that frees. */
    redeliver(attempt: Attempt, maxInFlight: number): void {
      queues.redeliver(attempt, maxInFlight)
      worker.wake()
    },
    /** Webhooks of an account that was suspended may be delivered to again. */
    async lookAgain(): Promise<void> {
      await claims.look()
      worker.wake()
    },
    changed(before: WebhookRow, after: WebhookRow): void {
      const { seq, maxInFlight } = after
      if (after.state !== 'active') return queues.retire(seq)
      if (before.state !== 'active' || before.url !== after.url) {
        queues.restart(seq)
        outageRecovery.reset(seq)
      }
      queues.markDue(seq, maxInFlight)
      worker.wake()
    },
    deleted(seq: number): void {
      keyring.forget(seq)
      outageRecovery.reset(seq)
      // Accepted redeliveries that are no longer sent. If this cannot be stored, the next start records the same.
      const dropped = queues.drop(seq).map((job) => ({ job, result: interruptedAttempt(clock) }))
      if (dropped.length > 0) void recorder.record(dropped).catch(() => {})
    },
    async recover(): Promise<void> {
      await crashRecovery.releaseAbandoned()
      await crashRecovery.clampDueTimes()
    },
    start: () => worker.start(),
    stop: (drainMs: number) => worker.stop(drainMs),
    gauges: () => worker.gauges(),
    machineProblems: () => describeMachineProblems(networkHealth, skew),
  }
}

/** Each request under way listens, and that is no leak. */
function withoutListenerLimit(controller: AbortController): AbortController {
  setMaxListeners(0, controller.signal)
  return controller
}

/** Runs on the first call, and then at most once every `ms`. */
function every(clock: Pick<Clock, 'mono'>, ms: number, act: () => Promise<void>): () => Promise<void> {
  let last = -Infinity
  return async () => {
    if (clock.mono() - last < ms) return
    last = clock.mono()
    await act()
  }
}
