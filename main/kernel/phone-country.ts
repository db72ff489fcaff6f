import {
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'

/** The first country of a calling code is the one that most of its numbers belong to: US for 1, RU for 7. */
const COUNTRIES = new Map<string, string>()
for (const country of ['US', 'RU', 'GB', 'IT', 'FR', 'AU', 'NO', 'FI', 'MA', ...getCountries()] as const) {
  const code = getCountryCallingCode(country)
  if (!COUNTRIES.has(code)) COUNTRIES.set(code, country)
}
const LONGEST_CODE = 3
/** How Meta names a person who hides their number. */
const USER_ID = /^([A-Z]{2})\.(?:ENT\.)?[A-Za-z0-9]+$/

/**
 * @param person a number with country code, in any spelling, or Meta's id of somebody who hides theirs.
 * @returns an ISO 3166 code, or '' if no country has numbers that begin like this.
 */
export function countryOf(person: string): string {
  const named = USER_ID.exec(person)?.[1]
  if (named !== undefined) return isSupportedCountry(named) ? named : ''
  if (!/^\d{7,15}$/.test(person)) return ''
  const found = parsePhoneNumberFromString(`+${person}`)?.country
  if (found !== undefined) return found
  for (let length = 1; length <= LONGEST_CODE; length++) {
    const country = COUNTRIES.get(person.slice(0, length))
    if (country !== undefined) return country
  }
  return ''
}
