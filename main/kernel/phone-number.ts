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
