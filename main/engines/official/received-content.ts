import type { MessageContent, UnavailableReason } from '../../contract/message-content.ts'
import { integerAt, parseRecord, recordAt, recordsAt, textAt, type Json } from './json.ts'

/** A message that Meta reports without its content. @param kind Meta's name of it. */
export const unavailableContent = (reason: UnavailableReason, kind: string): MessageContent => ({
  type: 'unavailable',
  ...{ reason, kind },
})

/**
 * The content of a message besides its text, by its type. @param content the part of the message named like the type.
 */
export function whatItIs(message: Json, type: string, content: Json): MessageContent | null {
  return Object.hasOwn(KINDS, type) ? (KINDS[type]?.(message, content) ?? null) : null
}

const KINDS: Readonly<Record<string, (message: Json, content: Json) => MessageContent | null>> = {
  location(_message, content) {
    const [latitude, longitude] = [numberAt(content, 'latitude'), numberAt(content, 'longitude')]
    if (latitude === null || longitude === null) return null
    const named = { name: textAt(content, 'name'), address: textAt(content, 'address'), url: textAt(content, 'url') }
    return { type: 'location', latitude, longitude, ...named, live: false }
  },
  contacts: (message) => ({ type: 'contacts', contacts: recordsAt(message, 'contacts').map(toContact) }),
  button: (_message, content) => ({
    type: 'button_reply',
    id: textAt(content, 'payload'),
    title: textAt(content, 'text') ?? '',
  }),
  interactive(_message, content) {
    const kind = textAt(content, 'type') ?? ''
    const reply = recordAt(content, kind)
    const [id, title] = [textAt(reply, 'id'), textAt(reply, 'title') ?? '']
    if (kind === 'button_reply') return { type: 'button_reply', id, title }
    if (kind === 'list_reply') return { type: 'list_reply', id, title, description: textAt(reply, 'description') }
    if (kind !== 'nfm_reply') return null
    const response = parseRecord(textAt(reply, 'response_json') ?? '') ?? null
    return {
      type: 'flow_reply',
      id: response === null ? null : textAt(response, 'flow_token'),
      title: textAt(reply, 'body') ?? '',
      name: textAt(reply, 'name'),
      response: response === null ? null : { ...response },
    }
  },
  order(_message, content) {
    const items = recordsAt(content, 'product_items').map(toItem)
    const quantities = items.map(({ quantity }) => quantity)
    return {
      type: 'order',
      ...{ order_id: null, title: null, catalog_id: textAt(content, 'catalog_id') },
      item_count: quantities.reduce((sum, quantity) => sum + quantity, 0),
      total: totalOf(items),
      items,
    }
  },
  text(message) {
    const product = recordAt(recordAt(message, 'context'), 'referred_product')
    const retailerId = textAt(product, 'product_retailer_id')
    if (retailerId === null) return null
    const unknown = { product_id: null, title: null, description: null, price: null, url: null, business: null }
    return { type: 'product', retailer_id: retailerId, ...unknown }
  },
}

function toContact(contact: Json) {
  const numbers = recordsAt(contact, 'phones').flatMap((phone) => {
    const written = textAt(phone, 'wa_id') ?? textAt(phone, 'phone')?.replaceAll(/[^\d+]/g, '')
    return written ? [written] : []
  })
  return { name: textAt(recordAt(contact, 'name'), 'formatted_name') ?? '', numbers, vcard: null }
}

function toItem(item: Json) {
  const [amount, currency] = [numberAt(item, 'item_price'), textAt(item, 'currency')]
  return {
    product_id: textAt(item, 'product_retailer_id') ?? '',
    quantity: integerAt(item, 'quantity') ?? 0,
    price: amount === null || currency === null ? null : { amount, currency },
  }
}

/** Known only if every item has a price, all in one currency. */
function totalOf(items: readonly ReturnType<typeof toItem>[]) {
  const currency = items[0]?.price?.currency
  if (currency === undefined) return null
  if (items.some(({ price }) => price?.currency !== currency)) return null
  // Computed in cents, because sums of fractions are inexact.
  const cents = items.reduce((sum, { price, quantity }) => sum + Math.round((price?.amount ?? 0) * 100) * quantity, 0)
  return { amount: cents / 100, currency }
}

/** A number written as a number or as text, or null. */
function numberAt(from: Json, name: string): number | null {
  const value = from[name]
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}
