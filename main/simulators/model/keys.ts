import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { AccountId } from '../../kernel/ids.ts'

const PREFIX = 'sk-sandbox-'

/** The key of an account, the same after every restart. It is valid only for the simulator on this machine. */
export const keyOf = (accountId: AccountId): string => `${PREFIX}${accountId}-${tagOf(accountId)}`

/** @returns null without a key, undefined for a key that the simulator did not issue. */
export function accountOf(headers: IncomingHttpHeaders): AccountId | null | undefined {
  const { authorization } = headers
  const bearer = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
  const key = bearer ?? headers['x-api-key'] ?? headers['x-goog-api-key']
  if (key === undefined && authorization === undefined) return null
  if (typeof key !== 'string' || !key.startsWith(PREFIX)) return undefined
  const accountId = key.slice(PREFIX.length, key.lastIndexOf('-')) as AccountId
  return keyOf(accountId) === key ? accountId : undefined
}

const tagOf = (accountId: AccountId) =>
  createHash('sha256').update(`sandbox model ${accountId}`).digest('hex').slice(0, 16)
