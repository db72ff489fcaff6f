import { ApiError } from '../../contract/errors.ts'
import type { ConnectedNumber } from './numbers.ts'
import type { GraphCredentials } from './transport.ts'

/** @returns undefined while the vault cannot be read. */
export function callerOf(number: ConnectedNumber): GraphCredentials | undefined {
  try {
    return { accountId: number.accountId, accessToken: number.credentials().accessToken }
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}
