import { ApiError } from './errors.ts'

/** Why an account may not message people. */
export type AccountRefusal = 'account_suspended' | 'account_frozen'

/** @param consequence such as `nothing was sent`. */
export const accountSuspended = (consequence: string): ApiError =>
  new ApiError('account_suspended', `This account is suspended, so ${consequence}. Ask your agency to activate it.`)

/** @param rest what still works, and how to fix it. */
export const accountFrozen = (consequence: string, rest: string): ApiError =>
  new ApiError(
    'invalid_state',
    `The account is frozen because a payment failed more than seven days ago, so ${consequence}. ${rest}`,
  ).because('account_frozen')
