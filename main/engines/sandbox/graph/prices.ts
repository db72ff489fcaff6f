import type { Tx } from '../../../kernel/db.ts'
import type { Template } from '../../templates.ts'
import { answerEntry, openEntry, type GraphNumber, type Sent } from './store.ts'

const HOUR_MS = 60 * 60_000
const ANSWERED_WITHIN_MS = 24 * HOUR_MS
const FREE_ENTRY_MS = 72 * HOUR_MS

export type Price = Pick<Sent, 'category' | 'priceType'>

/**
 * Meta's prices since October 2026. Every template has the price of its category, also within the customer service
 * window, and everything else is a service message. After the first answer to a person who came from an ad,
 * everything is free for 72 hours.
 */
export async function priceOf(
  tx: Tx,
  { phoneNumberId }: GraphNumber,
  person: string,
  template: Template | undefined,
  now: number,
): Promise<Price> {
  const window = { openedAfter: now - ANSWERED_WITHIN_MS, answeredAfter: now - FREE_ENTRY_MS }
  const isFree = (await tx.one(answerEntry, { phoneNumberId, person, now, ...window })) !== undefined
  if (isFree) return { category: 'referral_conversion', priceType: 'free_entry_point' }
  return { category: template?.category.toLowerCase() ?? 'service', priceType: 'regular' }
}

/** A person wrote after a click on an ad. */
export async function noteEntry(tx: Tx, { phoneNumberId }: GraphNumber, person: string, now: number): Promise<void> {
  await tx.run(openEntry, { phoneNumberId, person, now })
}

/** As in a status. Meta still sends `billable`, although it is deprecated. */
export const pricingOf = ({ category, priceType: type }: Price) => ({
  billable: type === 'regular',
  pricing_model: 'PMP',
  type,
  category,
})
