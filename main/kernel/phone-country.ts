import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max'

/** The first country of a calling code is the one that most of its numbers belong to: US for 1, RU for 7. */
const COUNTRIES = new Map<string, string>()
for (const country of ['US', 'RU', 'GB', 'IT', 'FR', 'AU', 'NO', 'FI', 'MA', ...getCountries()] as const) {
  const code = getCountryCallingCode(country)
  if (!COUNTRIES.has(code)) COUNTRIES.set(code, country)
}
const LONGEST_CODE = 3

/**
 * @param digits with country code, in any spelling.
 * @returns an ISO 3166 code, or '' if no country has numbers that begin like this.
 */
export function countryOf(digits: string): string {
  if (!/^\d{7,15}$/.test(digits)) return ''
  const found = parsePhoneNumberFromString(`+${digits}`)?.country
  if (found !== undefined) return found
  for (let length = 1; length <= LONGEST_CODE; length++) {
    const country = COUNTRIES.get(digits.slice(0, length))
    if (country !== undefined) return country
  }
  return ''
}
