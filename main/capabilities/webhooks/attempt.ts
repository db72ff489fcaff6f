import type { AccountId } from '../../kernel/ids.ts'
import type { OutboundAnswer } from '../../outbound/outbound.ts'
import type { Secret } from '../../kernel/secret.ts'
import type { DeliveryStatus, FinalReason, Lane, Trigger } from './states.ts'

/** The delivery as it was claimed. It cannot change while the lease is held. */
export interface DeliveryState {
  readonly status: DeliveryStatus
  readonly counted: number
  readonly interrupted: number
  readonly nextAttemptAtMs: number | null
  readonly gapMs: number
  readonly lane: Lane
  readonly finalReason: FinalReason | null
  readonly deliveredAtMs: number | null
}

/** One claimed attempt: all that is needed to send it and to judge what comes back. */
export interface Attempt {
  readonly deliverySeq: number
  /** Durable before any byte leaves. */
  readonly number: number
  readonly trigger: Trigger
  readonly deliveryState: DeliveryState
  readonly event: EventText
  readonly target: AttemptTarget
}

/** The body of attempt n is `head + n + tail`. */
export interface EventText {
  readonly id: string
  readonly head: string
  readonly tail: string
}

/** The webhook as it was at the claim; a change of `url` applies from the next attempt. */
export interface AttemptTarget {
  readonly webhookSeq: number
  readonly webhookId: string
  readonly accountId: AccountId
  readonly url: string
  /** Rises with each reactivation; a verdict from an earlier activation is ignored. */
  readonly activation: number
  readonly keys: SigningKeys
}

export interface SigningKeys {
  readonly current: Secret
  /** Sent along while `now < previousUntilMs`. */
  readonly previous: Secret | null
  readonly previousUntilMs: number
}

/** How an attempt ended. */
export type AttemptResult =
  | { readonly kind: 'answered'; readonly answer: OutboundAnswer }
  /** Cut off by us: quit, watchdog, crash. */
  | { readonly kind: 'interrupted' }
  /** This machine, not the receiver, is at fault: no network, captive portal. */
  | { readonly kind: 'local_fault'; readonly answer: OutboundAnswer }

/** An ended attempt as it is recorded. */
export interface FinishedAttempt {
  readonly ended: AttemptResult
  readonly startedAtMs: number
  readonly finishedAtMs: number
  /** How far the clock had been moved by then: the next attempt keeps its distance if it is set before this is stored. */
  readonly movedMs: number
  /** null after a crash: it was not measured. */
  readonly durationMs: number | null
  /** Value of X-Service-Timestamp; null when nothing was signed. */
  readonly sentTimestamp: number | null
}
