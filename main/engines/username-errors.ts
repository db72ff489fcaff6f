import { ApiError } from '../contract/errors.ts'
import type { ErrorReason } from '../contract/error-reasons.ts'

const UNCHANGED = 'Nothing was changed.'

type PlainReason = Extract<ErrorReason, `username_${string}`> & Exclude<ErrorReason, 'username_form'>

/** Meta's codes about usernames ("Business usernames", error codes). */
const REFUSALS: Readonly<Record<number, readonly [reason: PlainReason, message: string]>> = {
  147_001: ['username_taken', 'This username is not available. Choose another one, or one of the suggestions.'],
  147_002: [
    'username_not_eligible',
    'Meta does not give this account usernames yet. Read in WhatsApp Manager what is missing.',
  ],
  147_003: [
    'username_needs_facebook',
    'A Facebook Page has this username. Link the Page to the WhatsApp account in Meta Business settings first.',
  ],
  147_004: [
    'username_needs_instagram',
    'An Instagram account has this username. Link the account to the WhatsApp account in Meta Business settings first.',
  ],
  147_005: [
    'username_of_portfolio',
    'Another number of this portfolio has the username. Send `transfer: true` to move it.',
  ],
}

/** @returns undefined for a code about something else. */
export function usernameError(code: number): ApiError | undefined {
  const found = REFUSALS[code]
  if (found === undefined) return undefined
  const [reason, message] = found
  return new ApiError('invalid_state', `${message} ${UNCHANGED}`).because(reason)
}
