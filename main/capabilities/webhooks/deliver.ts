import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { ClockJumps } from '../../kernel/clock-jumps.ts'
import type { Outbound, OutboundAnswer } from '../../outbound/outbound.ts'
import type { Attempt, AttemptResult, EventText, FinishedAttempt } from './attempt.ts'
import type { NetworkHealth } from './network-health.ts'
import { signature, standardSignature } from './signature.ts'
import type { WebhookQueues } from './webhook-queues.ts'
import { pressure } from './verdict.ts'

interface DeliverDeps {
  readonly clock: Clock
  readonly outbound: Pick<Outbound, 'request' | 'parseHost'>
  readonly queues: Pick<WebhookQueues, 'release'>
  readonly clockJumps: Pick<ClockJumps, 'check'>
  readonly networkHealth: Pick<NetworkHealth, 'begin' | 'judge' | 'cancel'>
  /** Aborts running attempts: after a clock jump their outcome is unknown. */
  readonly abortSignal: () => AbortSignal
  /** Reports the `Date` header of a response. */
  readonly onDate: (host: string, date: string | undefined, atMs: number) => void
}

/** Signs and posts one claimed attempt. It is judged by verdict.ts and written by record.ts. */
export function createDeliver({
  clock,
  outbound,
  queues,
  clockJumps,
  networkHealth,
  abortSignal,
  onDate,
}: DeliverDeps) {
  /** @param host undefined where no network is needed. */
  async function resultOf(
    answer: OutboundAnswer,
    host: string | undefined,
    isAfterJump: boolean,
  ): Promise<AttemptResult> {
    // Outgoing connections were closed meanwhile, as when the service stops, or the machine slept past every deadline.
    if (answer.kind === 'failure' && (answer.code === 'aborted' || isAfterJump)) {
      if (host !== undefined) networkHealth.cancel(host)
      return { kind: 'interrupted' }
    }
    const isLocal = host !== undefined && (await networkHealth.judge(host, answer))
    return { kind: isLocal ? 'local_fault' : 'answered', answer }
  }

  return async function deliver(attempt: Attempt): Promise<FinishedAttempt> {
    let ended: AttemptResult = { kind: 'interrupted' }
    try {
      const jumpsBefore = clockJumps.check()
      const startedAtMs = clock.now()
      const startedMono = clock.mono()
      // Taken now: a time from before the queue would eat into the 300 seconds receivers allow.
      const sentTimestamp = Math.floor(startedAtMs / 1_000)
      const body = bodyOf(attempt.event, attempt.number)
      const place = outbound.parseHost(attempt.target.url)
      const host = place?.isSimulated === false ? place.host : undefined
      if (host !== undefined) networkHealth.begin(host)
      const answer = await outbound.request({
        url: attempt.target.url,
        method: 'POST',
        headers: headersOf(attempt, { body, sentTimestamp, nowMs: startedAtMs }),
        body,
        headersTimeoutMs: LIMITS.deliveryTimeoutMs,
        signal: abortSignal(),
        from: { accountId: attempt.target.accountId },
      })
      const [finishedAtMs, movedMs] = [clock.now(), clock.movedMs()]
      const durationMs = Math.round(clock.mono() - startedMono)
      const isAfterJump = clockJumps.check() !== jumpsBefore
      if (host !== undefined && answer.kind === 'response' && !isAfterJump) {
        onDate(host, answer.headers['date'], (startedAtMs + finishedAtMs) / 2)
      }
      ended = await resultOf(answer, host, isAfterJump)
      return { ended, startedAtMs, finishedAtMs, movedMs, durationMs, sentTimestamp }
    } finally {
      queues.release(attempt.target.webhookSeq, pressure(ended))
    }
  }
}

/** The exact bytes of attempt n (spec: Event envelope): all attempts differ in these digits only. */
function bodyOf(event: EventText, attempt: number): Buffer {
  return Buffer.from(`${event.head}${attempt}${event.tail}`)
}

/** Spec: Events, Request sent to the destination. The headers in lower case are those of Standard Webhooks. */
function headersOf(
  { event, number, target }: Attempt,
  { body, sentTimestamp, nowMs }: { body: Buffer; sentTimestamp: number; nowMs: number },
): Record<string, string> {
  const { current, previous, previousUntilMs } = target.keys
  const secrets = previous && nowMs < previousUntilMs ? [current, previous] : [current]
  const [own = '', ownPrevious] = secrets.map((secret) => signature(secret, sentTimestamp, body))
  const standard = secrets.map((secret) => standardSignature(secret, event.id, sentTimestamp, body))
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Switchboard-Webhooks/1',
    'X-Service-Event-Id': event.id,
    'X-Service-Timestamp': String(sentTimestamp),
    'X-Service-Attempt': String(number),
    'X-Service-Signature': own,
    ...(ownPrevious !== undefined && { 'X-Service-Signature-Previous': ownPrevious }),
    'webhook-id': event.id,
    'webhook-timestamp': String(sentTimestamp),
    'webhook-signature': standard.join(' '),
  }
}

/** What is recorded of an attempt that was cut off. */
export function interruptedAttempt(clock: Pick<Clock, 'now' | 'movedMs'>): FinishedAttempt {
  const nowMs = clock.now()
  const times = { startedAtMs: nowMs, finishedAtMs: nowMs, movedMs: clock.movedMs(), durationMs: 0 }
  return { ended: { kind: 'interrupted' }, ...times, sentTimestamp: null }
}
