import { canonicalNumber } from '../../kernel/phone-number.ts'

/** Country, area and a subscriber number of a Brazilian mobile, without the ninth digit. */
const WITHOUT_NINTH = /^(55[1-9][0-9])([6-9][0-9]{7})$/

/** One person can be known under both spellings of a Brazilian mobile number. Groups and other numbers have one. */
export function spellingsOf(chat: string): readonly [chat: string, other: string] {
  const canonical = canonicalNumber(chat)
  return [canonical, canonical.replace(WITHOUT_NINTH, (_, area: string, rest: string) => `${area}9${rest}`)]
}
