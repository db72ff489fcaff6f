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

/** Whom a chat is with, where nobody has a name for them. */
export const chatText = (chat: string): string => (PHONE.test(chat) ? numberText(chat) : chat)
