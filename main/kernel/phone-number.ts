import {
  getCountries,
  getCountryCallingCode,
  isValidPhoneNumber,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js/max'

/** Country, area, the ninth digit, and a subscriber number of the ranges mobiles had before that digit came. */
const BRAZILIAN_MOBILE = /^(55[1-9][0-9])9([6-9][0-9]{7})$/

/**
 * One form for all spellings of a number, for comparing only: what is shown and dialled stays as it came. A Brazilian
 * mobile that joined its network before the ninth digit came is known there without it, while people and the other
 * network write it with it. Ranges below 6 are left alone: without the digit they are landlines of somebody else.
 * @param digits country code first.
 */
export function canonicalNumber(digits: string): string {
  return digits.replace(BRAZILIAN_MOBILE, '$1$2')
}

/** A number as people write it, the country code left out or not. */
const SPELLED = /^[+\d\s().\-/\u2010-\u2015]{4,40}$/
/** A Brazilian mobile without the ninth digit, which the numbering plan no longer has. */
const WITHOUT_NINTH = /^(55[1-9][0-9])([6-9][0-9]{7})$/

/** ISO 3166 codes of the countries that have numbers. */
export const PHONE_COUNTRIES: readonly string[] = getCountries()

/**
 * The digits of a number in any spelling, country code first: `(11) 91234-5678` is `5511912345678` in Brazil. A
 * Brazilian mobile gets its ninth digit.
 * @param country of numbers without a country code; null: they must have one.
 * @returns undefined if no numbering plan has such a number.
 */
export function parsePhone(text: string, country: string | null): string | undefined {
  const spelled = text.trim()
  const digits = spelled.replaceAll(/\D/g, '')
  if (!SPELLED.test(spelled) || digits.length < 4 || digits.length > 17) return undefined
  if (spelled.startsWith('+')) return validNumber(digits)
  if (digits.startsWith('00')) return validNumber(digits.slice(2))
  const home = PHONE_COUNTRIES.includes(country ?? '') ? (country as CountryCode) : undefined
  const code = home && getCountryCallingCode(home)
  const asWritten = code !== undefined && digits.startsWith(code) ? validNumber(digits) : undefined
  return asWritten ?? (home && nationalNumber(digits, home)) ?? validNumber(digits)
}

function validNumber(digits: string): string | undefined {
  const number = digits.replace(WITHOUT_NINTH, '$19$2')
  return isValidPhoneNumber(`+${number}`) ? number : undefined
}

function nationalNumber(digits: string, country: CountryCode): string | undefined {
  const found = parsePhoneNumberFromString(digits, country)
  return found && validNumber(found.number.slice(1))
}

const PLAIN_DIGITS = /^\+?(\d{7,15})$/

/** The same for a number that may exist although no numbering plan has it, because somebody has written with it. */
export const readPhone = (text: string, country: string | null): string | undefined =>
  parsePhone(text, country) ?? PLAIN_DIGITS.exec(text.trim())?.[1]
