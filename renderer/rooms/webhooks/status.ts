import type { Delivery, DeliveryDetail, Webhook } from '../../../main/capabilities/webhooks/contract.ts'
import { LIMITS } from '../../../main/contract/limits.ts'

export type Attempt = DeliveryDetail['attempt_log'][number]

type Tone = 'success' | 'warning' | 'error' | 'neutral' | 'info'

interface Appearance {
  /** Locale key below `webhooks.`. */
  readonly words: string
  readonly tone: Tone
  readonly icon: string
}

export type WebhookState = 'active' | 'failing' | 'held' | 'paused' | NonNullable<Webhook['disabled_reason']>

type DeliveryFacts = Pick<Delivery, 'status' | 'final_reason' | 'next_attempt_at'>

const FAILED: ReadonlySet<DeliveryState> = new Set(['retrying', 'exhausted', 'gone'])

/**
 * Whether a delivery shows if the receiver works. A pending delivery was not attempted yet; an expired one was never
 * sent.
 */
export const hasOutcome = (delivery: DeliveryFacts): boolean =>
  delivery.status === 'delivered' || FAILED.has(deliveryStateOf(delivery))

/**
 * The health of a webhook. An active webhook is failing if its newest delivery with an outcome failed.
 * @param lastOutcome its newest delivery with an outcome; null or undefined if there is none or it is not loaded yet.
 * @param isSuspended whether the account is suspended; then nothing is delivered.
 */
export function stateOf(
  { active, disabled_reason }: Pick<Webhook, 'active' | 'disabled_reason'>,
  lastOutcome?: DeliveryFacts | null,
  isSuspended = false,
): WebhookState {
  if (!active) return disabled_reason ?? 'paused'
  if (isSuspended) return 'held'
  return lastOutcome && FAILED.has(deliveryStateOf(lastOutcome)) ? 'failing' : 'active'
}

export const STATE_APPEARANCE: Readonly<Record<WebhookState, Appearance>> = {
  active: { words: 'state.active', tone: 'success', icon: 'i-lucide-circle-check' },
  failing: { words: 'state.failing', tone: 'error', icon: 'i-lucide-circle-alert' },
  held: { words: 'state.held', tone: 'warning', icon: 'i-lucide-circle-pause' },
  paused: { words: 'state.paused', tone: 'warning', icon: 'i-lucide-circle-pause' },
  gone: { words: 'state.gone', tone: 'error', icon: 'i-lucide-circle-off' },
  too_many_failures: { words: 'state.too_many_failures', tone: 'error', icon: 'i-lucide-circle-off' },
}

/**
 * The state of a delivery in user-facing terms. For a failed delivery, it says whether further attempts follow or why
 * there are none.
 */
export type DeliveryState = 'delivered' | 'pending' | 'retrying' | 'exhausted' | NonNullable<Delivery['final_reason']>

export function deliveryStateOf({ status, final_reason, next_attempt_at }: DeliveryFacts): DeliveryState {
  if (status !== 'failed') return status
  return final_reason ?? (next_attempt_at === null ? 'exhausted' : 'retrying')
}

/** Why a delivery cannot be redelivered, as a key below `webhooks.redeliver.not.`; undefined if no reason is known. */
export function redeliverBlocker(
  { manual_retries }: Pick<Delivery, 'manual_retries'>,
  webhook: Pick<Webhook, 'active'> | undefined,
): 'deleted' | 'inactive' | 'used' | undefined {
  if (webhook === undefined) return 'deleted'
  if (!webhook.active) return 'inactive'
  return manual_retries >= LIMITS.manualRetries ? 'used' : undefined
}

export const DELIVERY_APPEARANCE: Readonly<Record<DeliveryState, Appearance>> = {
  delivered: { words: 'delivery.delivered', tone: 'success', icon: 'i-lucide-circle-check' },
  pending: { words: 'delivery.pending', tone: 'info', icon: 'i-lucide-circle-dashed' },
  retrying: { words: 'delivery.retrying', tone: 'warning', icon: 'i-lucide-rotate-cw' },
  exhausted: { words: 'delivery.exhausted', tone: 'error', icon: 'i-lucide-circle-x' },
  gone: { words: 'delivery.gone', tone: 'error', icon: 'i-lucide-circle-x' },
  expired: { words: 'delivery.expired', tone: 'neutral', icon: 'i-lucide-timer-off' },
  overflow: { words: 'delivery.overflow', tone: 'neutral', icon: 'i-lucide-circle-slash' },
}

export const OUTCOME_APPEARANCE: Readonly<Record<Attempt['outcome'], Appearance>> = {
  in_progress: { words: 'outcome.in_progress', tone: 'info', icon: 'i-lucide-loader' },
  success: { words: 'outcome.success', tone: 'success', icon: 'i-lucide-check' },
  http_error: { words: 'outcome.http_error', tone: 'error', icon: 'i-lucide-x' },
  timeout: { words: 'outcome.timeout', tone: 'error', icon: 'i-lucide-hourglass' },
  dns: { words: 'outcome.dns', tone: 'error', icon: 'i-lucide-map-pin-off' },
  connect: { words: 'outcome.connect', tone: 'error', icon: 'i-lucide-unplug' },
  tls: { words: 'outcome.tls', tone: 'error', icon: 'i-lucide-lock-open' },
  protocol: { words: 'outcome.protocol', tone: 'error', icon: 'i-lucide-file-warning' },
  blocked: { words: 'outcome.blocked', tone: 'error', icon: 'i-lucide-shield-x' },
  interrupted: { words: 'outcome.interrupted', tone: 'neutral', icon: 'i-lucide-scissors' },
  local_fault: { words: 'outcome.local_fault', tone: 'neutral', icon: 'i-lucide-wifi-off' },
}

/** Text colors of the tones. The class names are complete, because the CSS build finds them as text. */
export const TONE_TEXT: Readonly<Record<Tone, string>> = {
  success: 'text-success',
  warning: 'text-warning',
  error: 'text-error',
  neutral: 'text-muted',
  info: 'text-info',
}

const CATCHER = /^https:\/\/catcher\.sandbox\/([A-Za-z0-9._~-]{1,64})$/

/** Name of the catcher behind an address of the sandbox; undefined for any other address. */
export const catcherOf = (url: string): string | undefined => CATCHER.exec(url)?.[1]

/** Splits an address into its host and the rest, for display. */
export function addressOf(url: string): { host: string; rest: string } {
  const [, host = url, rest = ''] = /^https:\/\/([^/?#]+)([/?#].*)?$/.exec(url) ?? []
  return { host, rest: rest === '/' ? '' : rest }
}

/** Remaining time as `23:41:07`; undefined if it has passed. */
export function countdown(untilMs: number, nowMs: number): string | undefined {
  const left = Math.ceil((untilMs - nowMs) / 1_000)
  if (left <= 0) return undefined
  const parts = [Math.floor(left / 3_600), Math.floor(left / 60) % 60, left % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}
