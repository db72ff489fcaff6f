import { ApiError } from '../../contract/errors.ts'
import type { MessageContent } from '../../contract/message-content.ts'
import type { Content, PhoneMessage } from './inbox.ts'

/** A person's reply to a message with buttons, a list or a form. */
export interface Tap {
  /** Id of a button, a row or a product. */
  readonly id?: string
  /** The values of a form or an address. */
  readonly response?: Readonly<Record<string, unknown>>
  /** The requested location. */
  readonly location?: { readonly latitude: number; readonly longitude: number; readonly name?: string }
}

/** Marks a tap on a template's button, which Meta reports in another format than other taps. */
export const TEMPLATE_REPLY = 'template_reply'

/** Meta's mark of a contact that answers a request for a phone number. */
const CONTACT_REQUEST = 'contact_request'

/** The person who taps. */
interface Owner {
  readonly name: string
  readonly number: string
}

type Interactive = Extract<MessageContent, { type: 'interactive' }>

/**
 * The message that the phone sends when its owner taps.
 * @throws ApiError invalid_state for a message without buttons, validation_error for a tap that it does not offer.
 */
export function tapReply({ id: quoted, content }: PhoneMessage, tap: Tap, owner: Owner): Content {
  const shown = content.content
  if (shown?.type !== 'interactive')
    throw new ApiError('invalid_state', 'This message has nothing to tap: it has no buttons, list or form.')
  const reply = shown.kind === 'request_contact_info' ? numberReply(owner) : replyTo(shown, tap, content.payload)
  return { ...reply, quoted }
}

/** The answer to a request for a phone number. It arrives as a shared contact. */
function numberReply({ name, number }: Owner): Content {
  const content = { type: 'contacts' as const, contacts: [{ name, numbers: [number], vcard: null }] }
  return { type: 'contact', text: name, details: { name, number, origin: CONTACT_REQUEST }, content }
}

function replyTo(shown: Interactive, { id, response, location }: Tap, payload: object = {}): Content {
  switch (shown.kind) {
    case 'button':
    case 'list':
      return choiceReply(shown, id)
    case 'template':
      return { ...choiceReply(shown, id), details: { [TEMPLATE_REPLY]: true } }
    case 'product':
    case 'product_list':
      return orderReply(shown, id, payload)
    case 'location_request_message': {
      if (location === undefined) throw wrong('This message asks for a place. Give location.')
      const { latitude, longitude, name = null } = location
      const place = { latitude, longitude, name, address: null }
      const text = name ?? `${latitude}, ${longitude}`
      return { type: 'location', text, details: place, content: { type: 'location', ...place, url: null, live: false } }
    }
    case 'flow':
    case 'address_message':
      if (response === undefined) throw wrong('This message has a form. Give response: what it is filled with.')
      return formReply(shown, response, payload)
    default:
      throw new ApiError('invalid_state', 'Nothing comes back from this message: its button only opens something.')
  }
}

function choiceReply({ buttons, sections, cards = [] }: Interactive, id: string | undefined): Content {
  const button = [...buttons, ...cards.flatMap((card) => card.buttons)].find((each) => each.id === id)
  if (button) return { type: 'text', text: button.title, content: { type: 'button_reply', ...button } }
  const row = sections.flatMap(({ rows }) => rows).find((each) => each.id === id)
  if (row) return { type: 'text', text: row.title, content: { type: 'list_reply', ...row } }
  throw wrong(`The message has no button or row with the id ${JSON.stringify(id ?? null)}.`)
}

function orderReply({ sections }: Interactive, id: string | undefined, payload: object): Content {
  const product = sections.flatMap(({ product_ids: all }) => all).find((each) => each === id)
  if (product === undefined) throw wrong(`The message has no product with the id ${JSON.stringify(id ?? null)}.`)
  const { interactive } = payload as { interactive?: { action?: { catalog_id?: string } } }
  const items = [{ product_id: product, quantity: 1, price: null }]
  const none = { order_id: null, title: null, total: null }
  const catalog_id = interactive?.action?.catalog_id ?? null
  return { type: 'text', text: '', content: { type: 'order', ...none, catalog_id, item_count: 1, items } }
}

function formReply({ kind }: Interactive, response: Readonly<Record<string, unknown>>, payload: object): Content {
  const { interactive } = payload as { interactive?: { action?: { parameters?: { flow_token?: string } } } }
  const token = interactive?.action?.parameters?.flow_token ?? null
  return {
    type: 'text',
    text: 'Sent',
    content: {
      type: 'flow_reply',
      id: token,
      title: 'Sent',
      name: kind,
      response: { ...response, ...(token !== null && { flow_token: token }) },
    },
  }
}

const wrong = (message: string) => new ApiError('validation_error', message)
