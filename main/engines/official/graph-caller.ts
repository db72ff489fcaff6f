import { ApiError } from '../../contract/errors.ts'
import type { ConnectedNumber } from './numbers.ts'
import type { GraphCredentials } from './transport.ts'

/** The credentials and the Graph version of a number. @returns undefined while the vault cannot be read. */
export function callerOf(number: ConnectedNumber): GraphCredentials | undefined {
  try {
    const { accountId, graphVersion: version } = number
    return { accountId, version, accessToken: number.credentials().accessToken }
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}
