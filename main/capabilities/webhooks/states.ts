import type { DELIVERY_STATUSES, DISABLED_REASONS, FINAL_REASONS, OUTCOMES, TRIGGERS } from './contract.ts'

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]
export type DisabledReason = (typeof DISABLED_REASONS)[number]
export type FinalReason = (typeof FINAL_REASONS)[number]
export type Trigger = (typeof TRIGGERS)[number]
export type Outcome = (typeof OUTCOMES)[number]

/** `active: true` on the wire is the first of these; a deactivated webhook says why in `disabled_reason`. */
export type WebhookState = 'active' | 'paused' | 'deactivated'

/** Fresh deliveries and retries queue apart, so that neither can starve the other. */
export type Lane = 0 | 1
export const FRESH: Lane = 0
export const RETRY: Lane = 1
