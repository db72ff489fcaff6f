import { recordAt, recordsAt, textAt, type Json } from './json.ts'
import type { Item, Person, SaidMessage } from './callback-items.ts'
import { toError } from './errors.ts'

/** Data of the WhatsApp Business app on the number's phone from before the number was connected (coexistence). */

interface Reading {
  readonly items: readonly Item[]
  readonly problems: readonly string[]
  readonly noted: readonly string[]
}

/** @returns undefined for what it cannot parse, null for what Switchboard does not use. */
type Read = (message: Json, person: Person, isEcho: boolean) => Item | null | undefined

/** Number of messages or contacts that are stored in one commit. */
const AT_ONCE = 100
/** The business does not share the chats. */
const DECLINED = 2_593_109
const DIGITS = /^[0-9]{7,15}$/

/**
 * Chats from before the connection. Files are announced first and arrive in later callbacks.
 * @param ownNumber digits
 */
export function readHistory(value: Json, ownNumber: string | null, read: Read): Reading {
  const problems: string[] = []
  const noted: string[] = []
  const items: Item[] = []
  const collect = (messages: readonly Json[], personOf: (message: Json) => Person, place: string): void => {
    const found: SaidMessage[] = []
    for (const [i, message] of messages.entries()) {
      const isEcho = textAt(message, 'from') === ownNumber
      const item = read(message, personOf(message), isEcho)
      if (item === undefined) problems.push(`${place}[${i}]`)
      else if (item?.kind === 'message') found.push(item)
      // Old reactions and edits are not shown.
      else noted.push(textAt(message, 'type') ?? '')
    }
    for (let from = 0; from < found.length; from += AT_ONCE)
      items.push({ kind: 'past', messages: found.slice(from, from + AT_ONCE) })
  }
  for (const part of recordsAt(value, 'history')) {
    for (const error of recordsAt(part, 'errors')) noted.push(toError(error)?.code === DECLINED ? 'declined' : 'errors')
    for (const thread of recordsAt(part, 'threads')) {
      const person = personOfThread(thread)
      collect(recordsAt(thread, 'messages'), () => person, 'history')
    }
  }
  collect(recordsAt(value, 'messages'), (message) => personOfFile(message, ownNumber), 'messages')
  return { items, problems, noted }
}

/** Meta names the chat by the person's number or by an id of its own. */
function personOfThread(thread: Json): Person {
  const id = textAt(thread, 'id') ?? ''
  const userId = textAt(thread, 'user_id') ?? textAt(recordAt(thread, 'context'), 'user_id')
  return DIGITS.test(id) ? { number: id, userId } : { number: null, userId: userId ?? (id === '' ? null : id) }
}

/** For a file that the business sent, Meta may omit the recipient; the message with its id is already known. */
function personOfFile(message: Json, ownNumber: string | null): Person {
  const from = textAt(message, 'from')
  const number = from === ownNumber ? textAt(message, 'to') : from
  return number !== null && DIGITS.test(number) ? { number, userId: null } : UNNAMED
}

/** Used when Meta does not name the person; the message is then found by its id. */
const UNNAMED: Person = { number: null, userId: '' }

/** The address book of the phone, with the names that its owner entered. */
export function readAddressBook(value: Json): Reading {
  const noted: string[] = []
  const people: { phone: string; name: string }[] = []
  for (const entry of recordsAt(value, 'state_sync')) {
    const [type, action] = [textAt(entry, 'type') ?? '', textAt(entry, 'action') ?? '']
    const contact = recordAt(entry, 'contact')
    const phone = (textAt(contact, 'phone_number') ?? '').replace(/^\+/, '')
    const name = (textAt(contact, 'full_name') ?? '').trim()
    if (type !== 'contact') noted.push(type)
    else if (action !== 'add') noted.push(action)
    else if (!DIGITS.test(phone) || name === '') noted.push('unnamed')
    else people.push({ phone, name })
  }
  const items: Item[] = []
  for (let from = 0; from < people.length; from += AT_ONCE)
    items.push({ kind: 'address_book', people: people.slice(from, from + AT_ONCE) })
  return { items, problems: [], noted }
}
