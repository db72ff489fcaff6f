import type { OutboundAnswer } from '../../outbound/outbound.ts'
import type { AttemptResult, DeliveryState } from './attempt.ts'
import { isSpent, resumeMs, waitMs } from './schedule.ts'
import { RETRY, type Outcome, type Trigger } from './states.ts'

/** The effect of a finished attempt on its delivery and its webhook. Written in one commit. */
export interface Verdict extends DeliveryState {
  readonly outcome: Outcome
  /** Whether the attempt used up one of the eight. */
  readonly isCounted: boolean
  readonly statusCode: number | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly webhook: WebhookVerdict
}

/** `proved`: it works, failures in a row are forgotten. `gone` and the fifth `exhausted` in a row deactivate. */
type WebhookVerdict = 'none' | 'proved' | 'exhausted' | 'gone'

export interface Circumstances {
  readonly trigger: Trigger
  readonly schedule: readonly number[]
  /** Chance, uniform in [0, 1). */
  readonly fraction: number
  readonly nowMs: number
}

const FREE_INTERRUPTIONS = 3
const INTERRUPTED = { code: 'interrupted', message: 'Switchboard stopped during this attempt.' } as const
/** How long a delivery waits for this machine to find the network again. */
const LOCAL_FAULT_MS = 30_000
const GONE = 410
const TOO_MANY_REQUESTS = 429
const UNAVAILABLE = 503

/** The transition table: a pure function of the delivery's state and the attempt's result. */
export function judge(before: DeliveryState, ended: AttemptResult, at: Circumstances): Verdict {
  if (ended.kind === 'interrupted') return interrupted(before, at)
  const { answer } = ended
  const said = { outcome: outcomeOf(answer), statusCode: statusOf(answer), error: errorOf(answer) }
  if (isSuccess(answer)) return { ...delivered(before, at), ...said }
  if (at.trigger === 'manual') return { ...manuallyFailed(before, answer), ...said }
  if (ended.kind === 'local_fault') return { ...waiting(before, at, LOCAL_FAULT_MS), ...said, outcome: 'local_fault' }
  if (said.statusCode === GONE) return { ...closedAsGone(before, true), ...said }
  return { ...failed(before, at, waitFacts(answer)), ...said }
}

type Move = Omit<Verdict, 'outcome' | 'statusCode' | 'error'>

function delivered(before: DeliveryState, at: Circumstances): Move {
  return {
    ...before,
    status: 'delivered',
    nextAttemptAtMs: null,
    finalReason: null,
    deliveredAtMs: before.deliveredAtMs ?? at.nowMs,
    isCounted: false,
    webhook: 'proved',
  }
}

/** A counted automatic failure; the eighth exhausts the delivery. */
function failed(before: DeliveryState, at: Circumstances, facts: WaitFacts): Move {
  const counted = before.counted + 1
  if (isSpent(counted)) {
    return { ...before, counted, status: 'exhausted', nextAttemptAtMs: null, isCounted: true, webhook: 'exhausted' }
  }
  const wait = waitMs({ ...facts, schedule: at.schedule, counted, fraction: at.fraction, nowMs: at.nowMs })
  return { ...waiting(before, at, wait), counted, status: 'failed', lane: RETRY, isCounted: true }
}

/** Asked for by a person: it can deliver, but takes nothing from the automatic schedule. 410 closes what is open. */
function manuallyFailed(before: DeliveryState, answer: OutboundAnswer): Move {
  if (statusOf(answer) !== GONE) return { ...before, isCounted: false, webhook: 'none' }
  const isOpen = before.nextAttemptAtMs !== null
  return isOpen ? closedAsGone(before, false) : { ...before, isCounted: false, webhook: 'gone' }
}

function closedAsGone(before: DeliveryState, isCounted: boolean): Move {
  return {
    ...before,
    counted: before.counted + (isCounted ? 1 : 0),
    status: 'failed',
    nextAttemptAtMs: null,
    finalReason: 'gone',
    isCounted,
    webhook: 'gone',
  }
}

/**
 * The first three attempts that a crash cuts off do not count. Later ones do, because a delivery that crashes the
 * process would otherwise do so for ever.
 */
function interrupted(before: DeliveryState, at: Circumstances): Verdict {
  const said = { outcome: 'interrupted', statusCode: null, error: INTERRUPTED } as const
  if (at.trigger === 'manual') return { ...before, ...said, isCounted: false, webhook: 'none' }
  const after = { ...before, interrupted: before.interrupted + 1, lane: RETRY }
  if (before.interrupted < FREE_INTERRUPTIONS) return { ...waiting(after, at, resumeMs(at.fraction)), ...said }
  return { ...failed(after, at, { isStrained: false, retryAfter: undefined }), ...said }
}

/** The status stays, and it is tried again after `ms`. The attempt does not count. */
function waiting(before: DeliveryState, at: Circumstances, ms: number): Move {
  return { ...before, nextAttemptAtMs: at.nowMs + ms, gapMs: ms, isCounted: false, webhook: 'none' }
}

interface WaitFacts {
  readonly isStrained: boolean
  readonly retryAfter: string | undefined
}

function waitFacts(answer: OutboundAnswer): WaitFacts {
  const retryAfter = answer.kind === 'response' ? answer.headers['retry-after'] : undefined
  return { isStrained: isStrained(answer), retryAfter }
}

function isSuccess(answer: OutboundAnswer): boolean {
  return answer.kind === 'response' && answer.status >= 200 && answer.status < 300
}

/** The receiver is slow or busy: it gets at least a minute, and fewer deliveries at once. */
function isStrained(answer: OutboundAnswer): boolean {
  if (answer.kind === 'failure') return answer.stage === 'timeout'
  return answer.status === TOO_MANY_REQUESTS || answer.status === UNAVAILABLE
}

/** What the attempt says about how many deliveries the receiver can take at once. */
export function pressure(ended: AttemptResult): 'grow' | 'halve' | 'keep' {
  if (ended.kind !== 'answered') return 'keep'
  if (isSuccess(ended.answer)) return 'grow'
  const isUnreachable = ended.answer.kind === 'failure' && ended.answer.stage === 'connect'
  return isUnreachable || isStrained(ended.answer) ? 'halve' : 'keep'
}

function outcomeOf(answer: OutboundAnswer): Outcome {
  if (answer.kind === 'failure') return answer.stage
  return isSuccess(answer) ? 'success' : 'http_error'
}

const statusOf = (answer: OutboundAnswer) => (answer.kind === 'response' ? answer.status : null)
const errorOf = (answer: OutboundAnswer) =>
  answer.kind === 'failure' ? { code: answer.code, message: answer.message } : null
