import type { MessageStatus } from '../../contract/shapes.ts'
import type { Price } from '../../engines/price.ts'
import { DAY_MS } from './days.ts'

/** Whether the network charges for a message; `unknown`: the report does not say. */
export type PriceKind = 'charged' | 'free' | 'unknown'

/** How certain a price is, by the status that reported it. The network charges at delivery. */
export const CERTAINTY = { sent: 1, read: 2, delivered: 3 } as const satisfies Partial<Record<MessageStatus, number>>

/** @param price `billable` is deprecated, so `type` decides if it is known. */
export function kindOf({ type, billable }: Pick<Price, 'type' | 'billable'>): PriceKind {
  if (type === 'regular') return 'charged'
  if (type?.startsWith('free_') === true) return 'free'
  if (billable === null) return 'unknown'
  return billable ? 'charged' : 'free'
}

/** Days are in UTC: a number, its business account and its rates may be shared by accounts in several time zones. */
export const dayOfPrice = (atMs: number): string =>
  new Date(Math.floor(atMs / DAY_MS) * DAY_MS).toISOString().slice(0, 10)
