import {
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
  type CountryCode,
  type PhoneNumber,
} from 'libphonenumber-js/max'
import { normalizeText } from '../contract/normalize-text.ts'

/** Two spellings of one number that networks and people use side by side, each as digits with country code. */
interface TwoSpellings {
  readonly short: RegExp
  readonly toLong: string
  readonly long: RegExp
  readonly toShort: string
  /** The one people are compared by. */
  readonly key: 'short' | 'long'
  /** The one the numbering plan has today; null: both, of a mobile and of a landline. */
  readonly dialled: 'short' | 'long' | null
}

const TWO_SPELLINGS: readonly TwoSpellings[] = [
  // Brazil: mobiles had no ninth digit before 2012 to 2016. Ranges below 6 are landlines, which have only one spelling.
  {
    ...{ short: /^(55[1-9]\d)([6-9]\d{7})$/, toLong: '$19$2' },
    ...{ long: /^(55[1-9]\d)9([6-9]\d{7})$/, toShort: '$1$2' },
    ...{ key: 'short', dialled: 'long' },
  },
  // Mexico: mobiles were dialled with a 1 until August 2019.
  {
    ...{ short: /^52([2-9]\d{9})$/, toLong: '521$1' },
    ...{ long: /^521([2-9]\d{9})$/, toShort: '52$1' },
    ...{ key: 'short', dialled: 'short' },
  },
  // Argentina: mobiles have a 9 from abroad. No landline has the digits of a mobile of its area.
  {
    ...{ short: /^54([1-8]\d{9})$/, toLong: '549$1' },
    ...{ long: /^549(\d{10})$/, toShort: '54$1' },
    ...{ key: 'short', dialled: null },
  },
  // Benin: every number got 01 in front in November 2024.
  {
    ...{ short: /^229(\d{8})$/, toLong: '22901$1' },
    ...{ long: /^22901(\d{8})$/, toShort: '229$1' },
    ...{ key: 'long', dialled: 'long' },
  },
  // Ivory Coast: mobiles got the two digits of their operator in front in January 2021. 2 and 3 began landlines.
  ...(['01[0-3]', '05[4-6]', '07[7-9]'] as const).map((operator): TwoSpellings => {
    const [prefix, second] = [operator.slice(0, 2), operator.slice(2)]
    return {
      ...{ short: new RegExp(`^225([014-9]${second}\\d{6})$`), toLong: `225${prefix}$1` },
      ...{ long: new RegExp(`^225${prefix}([014-9]${second}\\d{6})$`), toShort: '225$1' },
      ...{ key: 'long', dialled: 'long' },
    }
  }),
]

/** @returns the number in that spelling, and as it came where it has only one. */
function spelledAs(digits: string, spelling: (pair: TwoSpellings) => 'short' | 'long' | null): string {
  for (const pair of TWO_SPELLINGS) {
    const wanted = spelling(pair)
    if (wanted === 'short' && pair.long.test(digits)) return digits.replace(pair.long, pair.toShort)
    if (wanted === 'long' && pair.short.test(digits)) return digits.replace(pair.short, pair.toLong)
  }
  return digits
}

/**
 * One form for all spellings of a number, for comparing only: what is shown and dialled stays as it came.
 * @param digits with country code; a group or a person who hides their number is their own key.
 */
export function personKey(digits: string): string {
  const parsed = mayHaveTrunkPrefix(digits) ? planned(digits) : undefined
  return spelledAs(parsed ?? digits, ({ key }) => key)
}

/** A zero behind a country code, or a doubled 1. The library takes ten times as long to say that there is none. */
const mayHaveTrunkPrefix = (digits: string): boolean =>
  DIGITS.test(digits) && (digits.startsWith('11') || callingCodeBeforeZero(digits) !== undefined)

/** The key, and the other spelling that rows of the same person may have; the same twice where there is only one. */
export function spellingsOf(digits: string): readonly [key: string, other: string] {
  const key = personKey(digits)
  return [key, spelledAs(key, (pair) => (pair.key === 'short' ? 'long' : 'short'))]
}

/** As one dials it today: a Brazilian mobile with its ninth digit, a Mexican one without the 1. */
export const dialledNumber = (digits: string): string => spelledAs(planned(digits) ?? digits, ({ dialled }) => dialled)

/** ISO 3166 codes of the countries that have numbers. */
export const PHONE_COUNTRIES: readonly string[] = getCountries()
const CALLING_CODES: ReadonlySet<string> = new Set(getCountries().map((country) => getCountryCallingCode(country)))

/**
 * The digits of a number in any spelling, country code first: `(11) 91234-5678` is `5511912345678` in Brazil. What belongs
 * to no number goes: trunk prefixes such as the zero of `+44 (0)7911 123456`, and prefixes of calls abroad. A spelling
 * that the numbering plan had before, and a network may still have, stays: `5215512345678`.
 * @param country of numbers without a country code; null: they must have one.
 * @returns undefined if no numbering plan has such a number.
 */
export function parsePhone(text: string, country: string | null): string | undefined {
  const spelled = plainText(text)
  const digits = spelled.replaceAll(/\D/g, '')
  if (!SPELLED.test(spelled) || digits.length < 4 || digits.length > 20) return undefined
  if (spelled.startsWith('+')) return international(digits)
  if (digits.startsWith('00')) return international(digits.slice(2))
  const home = PHONE_COUNTRIES.includes(country ?? '') ? (country as CountryCode) : undefined
  const code = home && getCountryCallingCode(home)
  const asWritten = code !== undefined && digits.startsWith(code) ? international(digits) : undefined
  const found = asWritten ?? (home && national(digits, home)) ?? international(digits)
  if (found !== undefined || !digits.startsWith('011')) return found
  // How North America dials abroad, and how some there write a number of their own.
  const rest = digits.slice(3)
  return international(rest) ?? (home && national(rest, home))
}

/** The same for a number that may exist although no numbering plan has it, because somebody has written with it. */
export const readPhone = (text: string, country: string | null): string | undefined =>
  parsePhone(text, country) ?? PLAIN_DIGITS.exec(plainText(text))?.[1]

const DIGITS = /^\d+$/
const PLAIN_DIGITS = /^\+?(\d{7,15})$/
const SPELLED = /^[+\d\s().\-/\u2010-\u2015\u2212]{4,60}$/
/** Around a number in spreadsheets, links and addresses of networks. */
const WRAPPING = /^(?:="|'|tel:|whatsapp:)|"$|@(?:s[.]whatsapp[.]net|c[.]us)$/gi
const LONGEST = 200
const OTHER_DIGITS = /[\u0660-\u0669\u06F0-\u06F9]/g

/** What is left of a text that is pasted or imported, without what nobody sees. */
function plainText(text: string): string {
  if (text.length > LONGEST) return ''
  const [withoutExtension = ''] = normalizeText(text, 'NFKC').split(';', 1)
  const visible = withoutExtension
    .replaceAll(/\p{Cf}/gu, '')
    .trim()
    .replaceAll(WRAPPING, '')
    .trim()
  // Both rows of Arabic digits begin at a multiple of 16.
  return visible.replaceAll(OTHER_DIGITS, (digit) => String(digit.charCodeAt(0) & 15))
}

/** A number with its country code, and perhaps what does not belong behind that. */
function international(digits: string): string | undefined {
  if (digits !== spelledAs(digits, ({ dialled }) => dialled)) return isEarlierSpelling(digits) ? digits : undefined
  return planned(digits) ?? withoutTrunkPrefix(digits)
}

/** Whether today's spelling of it is a number: the numbering plan no longer has its own. */
const isEarlierSpelling = (digits: string): boolean =>
  planned(spelledAs(digits, ({ dialled }) => dialled)) !== undefined

/** As the numbering plan has it. @returns undefined if it has no such number. */
const planned = (digits: string): string | undefined => digitsOf(parsePhoneNumberFromString(`+${digits}`))

const digitsOf = (found: PhoneNumber | undefined): string | undefined =>
  found?.isValid() === true ? found.number.slice(1) : undefined

const MEXICAN_TRUNK_PREFIX = /^(52)(?:01|044|045)(?=[2-9]\d{9}$)/

/** For countries whose trunk prefix the library does not know, or knows as a part of numbers. */
function withoutTrunkPrefix(digits: string): string | undefined {
  if (MEXICAN_TRUNK_PREFIX.test(digits)) return planned(digits.replace(MEXICAN_TRUNK_PREFIX, '$1'))
  const code = callingCodeBeforeZero(digits)
  return code === undefined ? undefined : planned(code + digits.slice(code.length + 1))
}

const callingCodeBeforeZero = (digits: string): string | undefined =>
  [1, 2, 3]
    .map((length) => digits.slice(0, length))
    .find((code) => CALLING_CODES.has(code) && digits[code.length] === '0')

function national(digits: string, country: CountryCode): string | undefined {
  const code = getCountryCallingCode(country)
  const found = digitsOf(parsePhoneNumberFromString(digits, country)) ?? international(`${code}${digits}`)
  return found && spelledAs(found, ({ dialled }) => dialled)
}
