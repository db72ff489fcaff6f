import type { Pace, SendOutcome, ThrottleScope } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import { freeAt, isUnused, UNUSED, usedAfter, type Rate } from '../../kernel/rate.ts'

/** A turn to send. */
type PaceResult =
  | { readonly kind: 'go'; readonly waitedMs: number }
  /** The wait would be longer than allowed. */
  | { readonly kind: 'later'; readonly retryAfterSeconds: number }

export interface Pacer {
  /** Waits until the network can take one more message. A full bucket delays; only a wait beyond `mostMs` is refused. */
  acquire(send: Send, mostMs: number): Promise<PaceResult>
  /** Notes the outcome of a send. @returns the outcome, with the time to hold back where the network throttles. */
  report(send: Pick<Send, 'instanceId' | 'to'>, outcome: SendOutcome): SendOutcome
}

interface Send {
  readonly instanceId: string
  readonly to: string
  readonly pace: Pace
}

interface Bucket {
  usedUntilMono: number
  /** The network throttles it. */
  closedUntilMono: number
  /** How often in a row the network has throttled it. */
  throttled: number
}

/** Where messages are taken in advance of their number: a tenth of a second's worth, so that a few at once never wait. */
const BURST_SECONDS = 0.1
/** Meta asks for 4^n seconds after the n-th refusal in a row. */
const BACKOFF_BASE = 4
const MAX_BACKOFF_SECONDS = 1_024
const PRUNE_AT = 10_000

/**
 * Keeps sends to the pace their network allows: a bucket for each number and one for each pair of number and person. A
 * place in a bucket is taken before the wait, so that sends leave in the order in which they came. Memory only: after a
 * restart the network's own refusals say what is left.
 */
export function createPacer(clock: Pick<Clock, 'mono' | 'sleep'>): Pacer {
  const buckets = new Map<string, Bucket>()

  const bucketOf = (name: string): Bucket => {
    const known = buckets.get(name)
    if (known) return known
    if (buckets.size >= PRUNE_AT) pruneBuckets()
    const bucket = { usedUntilMono: UNUSED, closedUntilMono: -Infinity, throttled: 0 }
    buckets.set(name, bucket)
    return bucket
  }

  function pruneBuckets(): void {
    const now = clock.mono()
    for (const [name, { usedUntilMono, closedUntilMono, throttled }] of buckets) {
      if (isUnused(usedUntilMono, now) && closedUntilMono <= now && throttled === 0) buckets.delete(name)
    }
  }

  return {
    async acquire({ instanceId, to, pace }, mostMs) {
      const now = clock.mono()
      const lanes = limitsOf(pace).map((lane) => ({ ...lane, bucket: bucketOf(bucketKey(lane.scope, instanceId, to)) }))
      const waitMs = Math.max(0, ...lanes.map((lane) => waitFor(lane, now)))
      if (waitMs > mostMs) return { kind: 'later', retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) }
      for (const lane of lanes) lane.bucket.usedUntilMono = usedAfter(lane.bucket.usedUntilMono, lane, now)
      if (waitMs > 0) await clock.sleep(waitMs)
      return { kind: 'go', waitedMs: waitMs }
    },

    report({ instanceId, to }, outcome) {
      if (outcome.kind === 'accepted') {
        for (const scope of SCOPES) {
          const bucket = buckets.get(bucketKey(scope, instanceId, to))
          if (bucket) bucket.throttled = 0
        }
      }
      if (outcome.kind !== 'nothing_sent' || outcome.throttles === undefined) return outcome
      const bucket = bucketOf(bucketKey(outcome.throttles, instanceId, to))
      bucket.throttled++
      const backoff = Math.min(BACKOFF_BASE ** bucket.throttled, MAX_BACKOFF_SECONDS)
      const seconds = Math.max(backoff, outcome.retryAfterSeconds ?? 0)
      bucket.closedUntilMono = clock.mono() + seconds * 1_000
      return { ...outcome, retryAfterSeconds: seconds }
    },
  }
}

interface Limit extends Rate {
  readonly scope: ThrottleScope
}

const SCOPES: readonly ThrottleScope[] = ['number', 'pair']

function limitsOf({ perSecond, toOne }: Pace): Limit[] {
  const number = { scope: 'number', intervalMs: 1_000 / perSecond, burst: Math.max(1, perSecond * BURST_SECONDS) }
  const pair = toOne && { scope: 'pair', intervalMs: toOne.everyMs, burst: toOne.burst }
  return [number, ...(pair ? [pair] : [])] as Limit[]
}

const waitFor = ({ bucket, ...rate }: Limit & { readonly bucket: Bucket }, now: number): number =>
  Math.max(freeAt(bucket.usedUntilMono, rate), bucket.closedUntilMono) - now

const bucketKey = (scope: ThrottleScope, instanceId: string, to: string) =>
  scope === 'number' ? instanceId : `${instanceId} ${to}`
