import type { Price } from '../price.ts'
import type { Item, Person } from './callback-items.ts'
import { personOf } from './callback-people.ts'
import { secondsAt } from './callback-reading.ts'
import { toError } from './errors.ts'
import { asRecord, recordAt, recordsAt, textAt, type Json } from './json.ts'

/** Statuses of messages that we sent. */

const STATUSES: Readonly<Record<string, 'sent' | 'delivered' | 'read'>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  played: 'read',
}

export function readStatus(status: Json): Item | null | undefined {
  const id = textAt(status, 'id')
  const atMs = secondsAt(status, 'timestamp')
  const word = textAt(status, 'status')
  if (id === null || atMs === null || word === null) return undefined
  const opaque = textAt(status, 'biz_opaque_callback_data')
  if (word === 'failed') {
    const error = toError(asRecord(recordsAt(status, 'errors')[0])) ?? { code: 0, details: '' }
    return { kind: 'failed', id, opaque, error, atMs }
  }
  const known = Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined
  // Statuses such as `deleted` and `warning` change nothing here.
  if (known === undefined) return null
  const { number: recipient } = recipientOf(status)
  return { kind: 'status', id, opaque, status: known, atMs, recipient, price: readPrice(status) }
}

/** For a message to a group, Meta names the group and the member who received or read it. */
export const recipientOf = (status: Json): Person =>
  textAt(status, 'recipient_type') === 'group'
    ? personOf(status, 'recipient_participant_id', 'recipient_participant_user_id')
    : personOf(status, 'recipient_id', 'recipient_user_id')

/** Longer than any value of Meta's; only the beginning of a longer one is kept. */
const PRICE_WORD_LENGTH = 64

function readPrice(status: Json): Price | null {
  const pricing = recordAt(status, 'pricing')
  const word = (name: string) => textAt(pricing, name)?.slice(0, PRICE_WORD_LENGTH) ?? null
  const [category, type, model] = [word('category'), word('type'), word('pricing_model')]
  const billable = typeof pricing['billable'] === 'boolean' ? pricing['billable'] : null
  const isEmpty = category === null && type === null && billable === null
  return isEmpty ? null : { category, type, model, billable }
}

/** @returns the parts of a status that Switchboard ignores. */
export function notedStatus(status: Json): string[] {
  const word = textAt(status, 'status')
  const isRead = word === null || word === 'failed' || Object.hasOwn(STATUSES, word)
  return isRead ? [] : [`statuses.${word}`]
}
