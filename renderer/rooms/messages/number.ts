import { GROUP_ID, NUMBER, USER_ID } from '../../../main/contract/addresses.ts'
import { numberText } from '../../parts/number-text.ts'

/** Converts a typed phone number to the digits that the service expects: 7 to 15, with the country code. */
export function digitsOf(written: string): string | undefined {
  const trimmed = written.trim()
  if (!/^\+?[\d\s().-]+$/.test(trimmed)) return undefined
  const digits = trimmed.replace(/\D/g, '').replace(/^00/, '')
  return digits.length >= 7 && digits.length <= 15 ? digits : undefined
}

const PERSON = new RegExp(`^(?:${NUMBER}|${USER_ID})$`)

/**
 * Whether a chat is with a person: either a phone number, or the id of a person who hides theirs. Ids of groups have
 * another form.
 */
export const isPerson = (chat: string): boolean => PERSON.test(chat)

const GROUP = new RegExp(`^${GROUP_ID}$`)

/** Whether the number can write in this chat. Nobody can write in channels. */
export const canWrite = (chat: string, engine: string | undefined): boolean =>
  isPerson(chat) || (engine !== undefined && GROUP.test(chat))

const PHONE = new RegExp(`^${NUMBER}$`)

/** Formats a phone number for people. Other ids are returned unchanged. */
export const chatText = (chat: string): string => (PHONE.test(chat) ? numberText(chat) : chat)

const HIDDEN = new RegExp(`^${USER_ID}$`)

/** Whether this is Meta's id of a person who hides their number. Hidden ids of linked phones look like numbers. */
export const isHiddenId = (phone: string): boolean => HIDDEN.test(phone)

/**
 * What a person without a name is known by.
 * @param known the entry in the contacts.
 * @returns undefined if they hide their number and have no username.
 */
export function addressText(
  phone: string,
  known: { readonly number: string | null; readonly username: string | null } | undefined,
): string | undefined {
  if (known?.number) return numberText(known.number)
  if (known?.username) return `@${known.username}`
  return known !== undefined || isHiddenId(phone) ? undefined : chatText(phone)
}
