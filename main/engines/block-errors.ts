import { ApiError } from '../contract/errors.ts'

/** Meta's documentation, "Block users", and what a person can do about it. */
const ERRORS: Readonly<Record<number, () => ApiError>> = {
  131_021: () => new ApiError('invalid_state', 'A number cannot block itself (131021).').because('block_self'),
  131_047: () =>
    new ApiError(
      'invalid_state',
      'Meta lets a number block only people who have written to it in the last 24 hours (131047).',
    ).because('block_too_late'),
  139_101: () =>
    new ApiError(
      'invalid_state',
      'The block list of this number is full: Meta allows 64,000 people (139101). Unblock somebody first.',
    ).because('block_list_full'),
  139_102: () => new ApiError('upstream_unavailable', 'The block list has just changed (139102). Try again.'),
  139_103: () => new ApiError('upstream_unavailable', 'Meta could not change the block list (139103). Try again.'),
  130_429: () =>
    new ApiError('rate_limited', 'Meta does not accept more changes of the block list right now (130429).', {
      'Retry-After': '60',
    }),
}

/** @param said Meta's own words, for a code that is not in the table. */
export function blockError(code: number, said: string): ApiError {
  return (
    ERRORS[code]?.() ??
    new ApiError('invalid_state', `Meta refused this (${code}): ${said}`).because('meta_refused', { code, said })
  )
}
