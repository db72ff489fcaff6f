import type { MessageContent } from '../../../contract/message-content.ts'
import type { MessageErrorShape } from '../../../contract/shapes.ts'
import type { EngineSignal } from '../../engine.ts'
import { TEMPLATE_REPLY } from '../taps.ts'
import type { Content } from '../inbox.ts'
import { graphIdentity } from '../user-ids.ts'
import { pricingOf } from './prices.ts'
import { waIdOf } from './wa-id.ts'
import type { GraphNumber, Sent } from './store.ts'

/** A change as Meta writes it into the body of a callback. */
export interface GraphChange {
  readonly field: string
  readonly value: object
}

type InboundSignal = Extract<EngineSignal, { kind: 'received' | 'edited' | 'deleted' | 'reaction' }>

const metadata = ({ number, phoneNumberId }: GraphNumber) => ({
  messaging_product: 'whatsapp',
  metadata: { display_phone_number: number, phone_number_id: phoneNumberId },
})

function identityOf(
  { userScope }: GraphNumber,
  digits: string,
): { readonly number: string | null; readonly userId: string } {
  const { number, userId } = graphIdentity(digits, userScope)
  return { number: number === null ? null : waIdOf(number), userId }
}

const seconds = (ms: number) => String(Math.floor(ms / 1_000))

interface Status {
  readonly word: string
  readonly atMs: number
  /** Whether the status includes Meta's price. */
  readonly isPriced?: boolean
  readonly error?: MessageErrorShape
}

/** A new status of a message. @param status.error with `failed`. */
export function statusChange(number: GraphNumber, sent: Sent, status: Status): GraphChange {
  const { wamid, recipient, opaque } = sent
  const entry = {
    id: wamid,
    status: status.word,
    timestamp: seconds(status.atMs),
    ...recipientFields(number, recipient),
    ...(opaque === null ? {} : { biz_opaque_callback_data: opaque }),
    ...(status.isPriced === true && { pricing: pricingOf(sent) }),
    ...(status.error !== undefined && { errors: [errorOf(status.error)] }),
  }
  return { field: 'messages', value: { ...metadata(number), statuses: [entry] } }
}

function recipientFields(own: GraphNumber, recipient: string): object {
  if (isGroup(recipient)) return { recipient_id: graphGroupId(recipient), recipient_type: 'group' }
  const { number, userId } = identityOf(own, recipient)
  return { ...(number !== null && { recipient_id: number }), recipient_user_id: userId }
}

const isGroup = (chat: string): boolean => chat.endsWith('@g.us')
/** Meta's id of a group of the network. */
export const graphGroupId = (chat: string): string => chat.slice(0, -'@g.us'.length)

function errorOf({ provider_code: code, message }: MessageErrorShape) {
  return { code, title: message, message, error_data: { details: message } }
}

/** A change of a group of the number. */
export const groupChange = (number: GraphNumber, field: string, group: object): GraphChange => ({
  field,
  value: { ...metadata(number), groups: [group] },
})

/** A person changed their number. Their id changes with it; a person who hides their number is known only by the id. */
export function numberChange(
  number: GraphNumber,
  {
    id,
    before,
    after,
    atMs,
  }: { readonly id: string; readonly before: string; readonly after: string; readonly atMs: number },
): GraphChange {
  const [previous, next] = [identityOf(number, before), identityOf(number, after)]
  const names = { user_id: next.userId, previous_user_id: previous.userId }
  const system =
    next.number === null
      ? { body: 'User changed their user ID', type: 'user_changed_user_id', ...names }
      : { body: `User changed from ${before} to ${after}`, type: 'user_changed_number', wa_id: next.number, ...names }
  const from = previous.number === null ? {} : { from: previous.number }
  const message = { ...from, id, timestamp: seconds(atMs), type: 'system', system }
  return { field: 'messages', value: { ...metadata(number), messages: [message] } }
}

/** A person turned marketing messages of the number off or on, in the settings of the chat. */
export function preferenceChange(
  number: GraphNumber,
  { user, value, atMs }: { readonly user: string; readonly value: 'stop' | 'resume'; readonly atMs: number },
): GraphChange {
  const { number: wa_id, userId: user_id } = identityOf(number, user)
  const person = { ...(wa_id === null ? {} : { wa_id }), user_id }
  const detail = `User requested to ${value} marketing messages`
  const preference = { ...person, detail, category: 'marketing_messages', value, timestamp: seconds(atMs) }
  const contacts = [{ profile: { name: 'Somebody' }, ...person }]
  return { field: 'user_preferences', value: { ...metadata(number), contacts, user_preferences: [preference] } }
}

/**
 * A message from a person, or a reaction, edit or deletion of theirs. For an echo: what was typed on this number's
 * own phone.
 * @param details of a location or a contact.
 */
export function inboundChange(number: GraphNumber, signal: InboundSignal, details?: Content['details']): GraphChange {
  const inGroup = isGroup(signal.chat) ? { group_id: graphGroupId(signal.chat) } : {}
  const { number: wa_id, userId } = identityOf(number, isGroup(signal.chat) ? signal.from : signal.chat)
  const entry = { ...inGroup, ...headerFields(signal, wa_id, userId), ...contentOf(signal, number, details) }
  if (signal.fromMe) {
    return {
      field: 'smb_message_echoes',
      value: { ...metadata(number), message_echoes: [{ ...entry, from: number.number }] },
    }
  }
  const profile = { name: signal.kind === 'received' && signal.pushName !== null ? signal.pushName : 'Somebody' }
  const contact = { profile, ...(wa_id === null ? {} : { wa_id }), user_id: userId }
  return { field: 'messages', value: { ...metadata(number), contacts: [contact], messages: [entry] } }
}

function headerFields(signal: InboundSignal, wa_id: string | null, userId: string) {
  // An edit, deletion or reaction has its own id; its target is in the content.
  const id =
    signal.kind === 'received' ? signal.engineMessageId : `${signal.engineMessageId}.${signal.kind}.${signal.atMs}`
  const who = signal.fromMe
    ? { ...(wa_id === null ? {} : { to: wa_id }), to_user_id: userId }
    : { ...(wa_id === null ? {} : { from: wa_id }), from_user_id: userId }
  return { id, timestamp: seconds(signal.atMs), ...who }
}

function contentOf(signal: InboundSignal, number: GraphNumber, details: Content['details']): object {
  const { engineMessageId } = signal
  switch (signal.kind) {
    case 'received':
      return {
        ...messageBody(signal, details),
        ...context(signal, number),
        ...(signal.referral && { referral: signal.referral }),
      }
    case 'edited':
      return {
        type: 'edit',
        edit: { original_message_id: engineMessageId, message: { type: 'text', text: { body: signal.text } } },
      }
    case 'deleted':
      return { type: 'revoke', revoke: { original_message_id: engineMessageId } }
    case 'reaction': {
      const emoji = signal.emoji === '' ? {} : { emoji: signal.emoji }
      return { type: 'reaction', reaction: { message_id: engineMessageId, ...emoji } }
    }
  }
}

function messageBody(
  { type, text, media, content = null }: Extract<InboundSignal, { kind: 'received' }>,
  details: Content['details'] = {},
): object {
  const reply = content && replyBody(content, details)
  if (reply !== null) return reply
  if (media !== null) {
    const { id, mimeType: mime_type, filename, caption } = media
    return { type, [type]: { id, mime_type, ...(filename && { filename }), ...(caption && { caption }) } }
  }
  if (type === 'location') {
    const { latitude, longitude, name, address } = details
    return {
      type,
      location: { latitude, longitude, ...(name !== null && { name }), ...(address !== null && { address }) },
    }
  }
  if (type === 'contact') {
    const { name, number, origin = 'other' } = details
    const phones = [{ phone: `+${String(number)}`, wa_id: number, type: 'CELL' }]
    return { type: 'contacts', origin, contacts: [{ name: { formatted_name: name }, phones }] }
  }
  if (type === 'unavailable') return { type: 'unsupported' }
  return { type: 'text', text: { body: text } }
}

/** The button, list row or order that a person sent; null for anything else. */
function replyBody(content: MessageContent, details: NonNullable<Content['details']>): object | null {
  switch (content.type) {
    case 'button_reply': {
      const { id, title } = content
      if (details[TEMPLATE_REPLY] === true) return { type: 'button', button: { payload: id, text: title } }
      return { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id, title } } }
    }
    case 'list_reply': {
      const { id, title, description } = content
      const reply = { id, title, ...(description !== null && { description }) }
      return { type: 'interactive', interactive: { type: 'list_reply', list_reply: reply } }
    }
    case 'flow_reply': {
      const { name, title: body, response } = content
      const reply = { name, body, response_json: JSON.stringify(response ?? {}) }
      return { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: reply } }
    }
    case 'order': {
      const items = content.items.map(({ product_id: product_retailer_id, quantity, price }) => ({
        ...{ product_retailer_id, quantity },
        ...(price && { item_price: price.amount, currency: price.currency }),
      }))
      return { type: 'order', order: { catalog_id: content.catalog_id, product_items: items } }
    }
    default:
      return null
  }
}

/** For a forwarded message, Meta does not name the original. */
function context(
  { quotedEngineMessageId: id, forwarded = null }: Extract<InboundSignal, { kind: 'received' }>,
  { number }: GraphNumber,
) {
  if (forwarded !== null) return { context: { forwarded: true, frequently_forwarded: forwarded === 'frequently' } }
  return id === null ? {} : { context: { from: number, id } }
}
