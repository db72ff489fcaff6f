import type { DELIVERY_STATUSES, FINAL_REASONS } from './contract/parts.ts'
import type { DISABLED_REASONS } from './contract/endpoints.ts'
import type { OUTCOMES, TRIGGERS } from './contract/deliveries.ts'

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
