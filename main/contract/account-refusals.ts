import { ApiError } from './errors.ts'

/** @param consequence such as `nothing was sent`. */
export const accountSuspended = (consequence: string): ApiError =>
  new ApiError('account_suspended', `This account is suspended, so ${consequence}. Ask your agency to activate it.`)

/** @param rest what still works, and what to do then. */
export const accountFrozen = (consequence: string, rest: string): ApiError =>
  new ApiError(
    'invalid_state',
    `The account is frozen because a payment failed more than seven days ago, so ${consequence}. ${rest}`,
  )
