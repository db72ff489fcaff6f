import type { HealthView } from '../../contract/instance.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Evidence } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { evidenceOf, type Engines } from './engines.ts'
import { getInstance } from './find.ts'
import { issuesOf } from './issues.ts'
import { countReconnects, type Instance } from './store.ts'

/** What other rooms know about an instance. They are bound after they are built. */
export interface Gauges {
  queue(id: InstanceId): Promise<{ pending: number; oldestSeconds: number | null }>
  /** Deliveries of the instance's events to account webhooks. */
  webhooks(id: InstanceId): Promise<{ pending: number; failing: number }>
  /** Calls of the instance's own webhook that failed and are tried again. */
  failingOwnCalls(id: InstanceId): Promise<number>
  lastMessageAtMs(id: InstanceId): Promise<number | null>
}

interface Deps {
  readonly db: Db
  readonly clock: Clock
  readonly engines: Engines
  readonly gauges: Gauges
  readonly log: Log
}

export type Health = (id: InstanceId) => Promise<HealthView>

/** The answer is due within two seconds, so a gauge that takes longer is reported as unknown. */
const GAUGE_MS = 1_000
const DAY_MS = 86_400_000

/** Never fails: a part that does not answer in time is null (spec: Health view). */
export function createHealth({ db, clock, engines, gauges, log }: Deps): Health {
  /** @returns the gauge's value, or null when it fails or is too slow. */
  function withinTimeout<T>(gauge: string, id: InstanceId, read: () => Promise<T>): Promise<T | null> {
    return new Promise((resolve) => {
      const timer = clock.after(GAUGE_MS, () => resolve(null))
      const done = (value: T | null) => {
        timer.cancel()
        resolve(value)
      }
      // An async function, so that a gauge that throws at once is caught as well.
      void (async () => read())().then(done, (error: unknown) => {
        log.warn({ event: 'instance.gauge.failed', instanceId: id, gauge, cause: cause(error) })
        done(null)
      })
    })
  }

  function knownEvidence(instance: Instance): Evidence | null {
    try {
      return evidenceOf(engines, instance)
    } catch (error) {
      log.warn({ event: 'instance.gauge.failed', instanceId: instance.id, gauge: 'evidence', cause: cause(error) })
      return null
    }
  }

  return async (id) => {
    const instance = await getInstance(db, id)
    const nowMs = clock.now()
    const evidence = knownEvidence(instance)
    const [queue, webhooks, failingOwnCalls, lastMessageAtMs, reconnects] = await Promise.all([
      withinTimeout('queue', id, () => gauges.queue(id)),
      withinTimeout('webhooks', id, () => gauges.webhooks(id)),
      withinTimeout('own_webhook', id, () => gauges.failingOwnCalls(id)),
      withinTimeout('last_message', id, () => gauges.lastMessageAtMs(id)),
      withinTimeout('reconnects', id, () => db.readOne(countReconnects, { id, since: nowMs - DAY_MS })),
    ])
    const facts = {
      instance,
      evidence,
      queue: queue ?? UNKNOWN_QUEUE,
      failingOwnCalls,
      nowMs,
    }
    const issues = issuesOf(facts)
    const isConnected = instance.status === 'connected'
    return {
      instance_id: instance.id,
      engine: instance.engine,
      status: statusOf(isConnected, evidence, issues.length > 0),
      connected: isConnected,
      logged_in: instance.loggedIn,
      engine_reachable: evidence?.reachable ?? null,
      checked_at: isoTime(nowMs),
      last_seen_at: isoTimeOrNull(evidence?.lastSeenAtMs ?? null),
      last_message_at: isoTimeOrNull(lastMessageAtMs),
      latency_ms: evidence?.latencyMs ?? null,
      uptime_seconds: uptime(instance, nowMs),
      reconnects_24h: reconnects?.count ?? null,
      queue: { pending: facts.queue.pending, oldest_seconds: facts.queue.oldestSeconds },
      webhooks: webhooks ?? { pending: null, failing: null },
      restriction: restrictionOf(instance, evidence, nowMs),
      quality: qualityOf(evidence),
      issues,
    }
  }
}

const UNKNOWN_QUEUE = { pending: null, oldestSeconds: null } as const

function statusOf(isConnected: boolean, evidence: Evidence | null, hasIssues: boolean): HealthView['status'] {
  if (!isConnected) return 'down'
  if (evidence === null) return 'unknown'
  if (!evidence.reachable) return 'down'
  return hasIssues ? 'degraded' : 'ok'
}

function uptime({ status, lastConnectedAtMs }: Instance, nowMs: number): number | null {
  if (status !== 'connected' || lastConnectedAtMs === null) return null
  return Math.max(0, Math.floor((nowMs - lastConnectedAtMs) / 1_000))
}

function restrictionOf(
  { blockedUntilMs }: Instance,
  evidence: Evidence | null,
  nowMs: number,
): HealthView['restriction'] {
  const restriction = evidence?.restriction
  const isActive = (untilMs: number | null) => untilMs === null || untilMs > nowMs
  if (restriction) {
    return { active: isActive(restriction.untilMs), kind: restriction.kind, until: isoTimeOrNull(restriction.untilMs) }
  }
  if (blockedUntilMs === null) return null
  return { active: isActive(blockedUntilMs), kind: 'temporary_ban', until: isoTimeOrNull(blockedUntilMs) }
}

function qualityOf(evidence: Evidence | null): HealthView['quality'] {
  const quality = evidence?.quality
  if (!quality) return null
  return { rating: quality.rating, messaging_limit: quality.messagingLimit, account_mode: quality.accountMode }
}
