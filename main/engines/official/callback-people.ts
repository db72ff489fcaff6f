import type { Person } from './callback-items.ts'
import { digitsOf, recordsAt, textAt, type Json } from './json.ts'

/** People in a callback. Meta identifies them by a number, an id, or both. */

const DIGITS = /^[0-9]{7,15}$/

export function personOf(from: Json, numberField: string, ...userFields: readonly string[]): Person {
  const number = digitsOf(textAt(from, numberField) ?? '')
  const userId = userFields.map((field) => textAt(from, field)).find((id) => id !== null) ?? null
  return { number: DIGITS.test(number) ? number : null, userId }
}

export const merged = (one: Person, other: Person): Person => ({
  number: one.number ?? other.number,
  userId: one.userId ?? other.userId,
})

export type ContactOf = (person: Person) => Json | undefined

/**
 * A message without a sender belongs to the only contact. If several contacts share a number or id, the first one is
 * used.
 */
export function findContact(contacts: readonly Json[]): ContactOf {
  const places = new Map<string, number>()
  for (const [at, contact] of contacts.entries())
    for (const name of namesOf(personOf(contact, 'wa_id', 'user_id'))) if (!places.has(name)) places.set(name, at)
  return (person) => {
    const found = namesOf(person).flatMap((name) => places.get(name) ?? [])
    return contacts[found.length > 0 ? Math.min(...found) : contacts.length === 1 ? 0 : -1]
  }
}

/** Used as keys; a number and an id are never equal. */
export const namesOf = ({ number, userId }: Person): string[] => [
  ...(number === null ? [] : [`number ${number}`]),
  ...(userId === null ? [] : [`id ${userId}`]),
]

export const AUTHOR = ['from', 'from_user_id', 'user_id'] as const

export function authorOf(message: Json, contactOf: ContactOf): Person {
  const person = personOf(message, ...AUTHOR)
  const contact = contactOf(person)
  const whole = contact === undefined ? person : merged(person, personOf(contact, 'wa_id', 'user_id'))
  return merged(whole, { number: sharedNumber(message), userId: null })
}

/**
 * The sender's own number, which Switchboard requested. A contact shared without a request belongs to another person.
 */
export function sharedNumber(message: Json): string | null {
  if (textAt(message, 'origin') !== 'contact_request') return null
  const [card, ...others] = recordsAt(message, 'contacts')
  const [phone, ...more] = recordsAt(card ?? {}, 'phones')
  if (phone === undefined || others.length > 0 || more.length > 0) return null
  return personOf(phone, 'wa_id').number ?? personOf(phone, 'phone').number
}
