import { GROUP_ID, NUMBER, USER_ID } from '../../../main/contract/addresses.ts'
import { numberText } from '../../parts/number-text.ts'

/** A phone number as people write it, as the digits the service wants: 7 to 15, with the country code. */
export function digitsOf(written: string): string | undefined {
  const trimmed = written.trim()
  if (!/^\+?[\d\s().-]+$/.test(trimmed)) return undefined
  const digits = trimmed.replace(/\D/g, '').replace(/^00/, '')
  return digits.length >= 7 && digits.length <= 15 ? digits : undefined
}

const PERSON = new RegExp(`^(?:${NUMBER}|${USER_ID})$`)

/** By number, or by the id of one who hides it; a group has an id of another form. */
export const isPerson = (chat: string): boolean => PERSON.test(chat)

const GROUP = new RegExp(`^${GROUP_ID}$`)

/** Whether the number can write here: nobody writes to channels. */
export const canWrite = (chat: string, engine: string | undefined): boolean =>
  isPerson(chat) || (engine !== undefined && GROUP.test(chat))

const PHONE = new RegExp(`^${NUMBER}$`)

/** A phone number as it is read; anything else as it is. */
export const chatText = (chat: string): string => (PHONE.test(chat) ? numberText(chat) : chat)

const HIDDEN = new RegExp(`^${USER_ID}$`)

/** Meta's id of a person who hides their number; the ids of phones look like numbers. */
export const isHiddenId = (phone: string): boolean => HIDDEN.test(phone)

/**
 * What people know somebody by who has no name.
 * @param known what the contacts say of them.
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
