/** The words webhooks and deliveries are described with. Spec: States and transitions. */

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'exhausted'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** `active: true` on the wire is the first of these; a deactivated webhook says why in `disabled_reason`. */
export type WebhookState = 'active' | 'paused' | 'deactivated'

export const DISABLED_REASONS = ['gone', 'too_many_failures'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** Why a delivery was closed before its attempts were used up. */
export const FINAL_REASONS = ['gone', 'expired', 'overflow'] as const
export type FinalReason = (typeof FINAL_REASONS)[number]

export const TRIGGERS = ['schedule', 'manual', 'recovery'] as const
export type Trigger = (typeof TRIGGERS)[number]

export const OUTCOMES = [
  'in_progress',
  'success',
  'http_error',
  'timeout',
  'dns',
  'connect',
  'tls',
  'protocol',
  'blocked',
  'interrupted',
  'local_fault',
] as const
export type Outcome = (typeof OUTCOMES)[number]

/** Fresh deliveries and retries queue apart, so that neither can starve the other. */
export type Lane = 0 | 1
export const FRESH: Lane = 0
export const RETRY: Lane = 1
