import { isoTimeOrNull } from '../../contract/request.ts'
import type { Handlers } from '../handler.ts'
import type { accountContract } from './contract.ts'

export function accountHandlers(): Handlers<typeof accountContract> {
  return {
    getMe: async ({ principal }) => ({
      account: { id: principal.accountId, name: principal.accountName },
      scopes: [...principal.scopes],
      allowed_instance_ids: principal.allowedInstanceIds === null ? null : [...principal.allowedInstanceIds],
      key: principal.key && {
        id: principal.key.id,
        name: principal.key.name,
        last4: principal.key.last4,
        expires_at: isoTimeOrNull(principal.key.expiresAtMs),
      },
    }),
  }
}
