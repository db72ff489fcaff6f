import { isHidden } from './network-ids.ts'

/**
 * On the simulated network, a person who hides their number has fifteen digits that are not a phone number; Meta
 * shows a user id instead.
 * @param scope of the portfolio: each has its own ids for the same people.
 */
const userIdOf = (digits: string, scope: string): string => `US.${digits}${scope}`

/** @returns the digits of the phone, or undefined for an id that is unknown in this portfolio. */
export function parseUserId(address: string, scope = ''): string | undefined {
  if (/^[0-9]{7,15}$/.test(address)) return address
  const digits = /^US\.([0-9]{15})/.exec(address)?.[1]
  return digits !== undefined && isHidden(digits) && address === userIdOf(digits, scope) ? digits : undefined
}

/** How Meta identifies a person in callbacks: hidden people by user id only, others by number too. */
export function graphIdentity(digits: string, scope = ''): { readonly number: string | null; readonly userId: string } {
  return { number: isHidden(digits) ? null : digits, userId: userIdOf(digits, scope) }
}
