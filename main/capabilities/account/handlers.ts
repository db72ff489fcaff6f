import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import { grants } from '../../contract/scopes.ts'
import { creatorOf, requireAgencySide } from '../../kernel/access.ts'
import { listPage } from '../../kernel/list-page.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { Handlers } from '../handler.ts'
import type { accountContract, Key } from './contract.ts'
import type { Accounts } from './index.ts'
import type { ApiKey } from './store.ts'

export function accountHandlers(accounts: Accounts, cursors: Cursors): Handlers<typeof accountContract> {
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
    async updateAccount({ principal: { accountId, accountName }, body: { name, first_run: isFirstRun } }) {
      if (isFirstRun === false) await accounts.endFirstRun(accountId)
      if (name === undefined) return { id: accountId, name: accountName }
      return accounts.renameAccount(accountId, name.trim())
    },
    async listSessions({ principal }) {
      const sessions = await accounts.listSessions(principal)
      return {
        data: sessions.map(({ id, createdAtMs, usedAtMs, memberName, address, browser }) => ({
          id: shortOf(id),
          signed_in_at: isoTime(createdAtMs),
          last_used_at: isoTime(usedAtMs),
          current: id === principal.sessionId,
          ...{ member: memberName, address, browser },
        })),
      }
    },
    async endSession({ principal, params }) {
      const found = (await accounts.listSessions(principal)).find(({ id }) => shortOf(id) === params.id)
      // Ending a session that has already ended succeeds.
      if (found !== undefined) await accounts.endSessions(principal, { id: found.id })
      return undefined
    },
    endOtherSessions: async ({ principal }) => ({
      ended: await accounts.endSessions(principal, { keep: principal.sessionId ?? null }),
    }),
    listApiKeys: ({ principal: { accountId }, query }) =>
      listPage(cursors, `keys:${accountId}`, query, {
        read: ({ after, rows }) => accounts.pageOfKeys(accountId, after && String(after[0]), rows),
        at: ({ id }) => [id],
        show: (keys) => keys.map(toRecord),
      }),
    createApiKey: async ({ principal, body }) => {
      const { accountId } = principal
      // Otherwise a member could use a key for what the console refuses.
      if (grants(body.scopes, 'agency:manage')) requireAgencySide(principal, 'agency:manage')
      const expiresAt = body.expires_at ?? null
      const made = await accounts.createKey({
        accountId,
        name: body.name,
        scopes: body.scopes,
        allowedInstanceIds: body.allowed_instance_ids ?? null,
        ratePerMinute: body.rate_per_minute ?? null,
        approval: body.approval ?? 'none',
        expiresAtMs: expiresAt === null ? null : Date.parse(expiresAt),
        createdBy: creatorOf(principal),
      })
      return { ...toRecord({ ...made, lastUsedAtMs: null, revokedAtMs: null }), key: made.key.open() }
    },
    revokeApiKey: async ({ principal: { accountId }, params: { id }, query }) => {
      await accounts.revokeKey(accountId, id, query.created === 'keep')
      return undefined
    },
  }
}

/** Enough to distinguish the sessions of one account. */
const shortOf = (sessionId: string): string => sessionId.slice(0, 16)

const toRecord = (key: Omit<ApiKey, 'accountId'>): Key => ({
  id: key.id,
  name: key.name,
  last4: key.last4,
  scopes: [...key.scopes],
  allowed_instance_ids: key.allowedInstanceIds && [...key.allowedInstanceIds],
  rate_per_minute: key.ratePerMinute,
  approval: key.approval,
  expires_at: isoTimeOrNull(key.expiresAtMs),
  last_used_at: isoTimeOrNull(key.lastUsedAtMs),
  revoked_at: isoTimeOrNull(key.revokedAtMs),
  created_at: isoTime(key.createdAtMs),
})
