import { LIMITS } from '../../contract/limits.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import { listPage } from '../../kernel/list-page.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { Accounts, ApiKey } from '../account/index.ts'
import { Answer, type Existence, type Handlers } from '../handler.ts'
import { usageReport, type Usage } from '../usage/index.ts'
import type { agencyContract } from './contract.ts'
import type { SubAccountKey } from './contract/keys.ts'
import type { Agency } from './index.ts'

interface Deps {
  readonly agency: Agency
  readonly accounts: Accounts
  readonly usage: Usage
  readonly cursors: Cursors
}

/** Sorts after every id, which is hexadecimal. */
const AFTER_ALL = 'g'

export function agencyHandlers({ agency, accounts, usage, cursors }: Deps): Handlers<typeof agencyContract> {
  return {
    async getAgency({ principal: { accountId, accountName } }) {
      const { name: _name, ...branding } = await agency.brandOf(accountId)
      return { name: accountName, slots: await agency.slots(accountId), branding }
    },
    updateBranding: ({ principal, body }) => agency.changeBrand(principal.accountId, body),

    async listSubAccounts({ principal: { accountId }, query }) {
      const list = JSON.stringify(['sub-accounts', accountId, query.status ?? null, query.external_ref ?? null])
      return listPage(cursors, list, query, {
        read: ({ after: [beforeId = AFTER_ALL] = [], rows }) =>
          agency.page(accountId, { ...query, beforeId: String(beforeId), rows }),
        at: ({ id }) => [id],
        show: (rows) => Promise.all(rows.map(agency.toRecord)),
      })
    },
    async createSubAccount({ principal, body, rawBody, idempotencyKey }) {
      const { record, isReplayed } = await agency.create({
        ...{ parentId: principal.accountId, wish: body, rawBody, idempotencyKey },
      })
      return new Answer({ body: record, headers: isReplayed ? { 'Idempotent-Replayed': 'true' } : {} })
    },
    getSubAccount: async ({ principal, params }) =>
      agency.toRecord(await agency.get(principal.accountId, params.account_id)),
    updateSubAccount: ({ principal, params, body }) => agency.update(principal.accountId, params.account_id, body),
    async deleteSubAccount({ principal, params }) {
      await agency.remove(principal.accountId, params.account_id)
      return undefined
    },
    suspendSubAccount: ({ principal, params }) => agency.setSuspended(principal.accountId, params.account_id, true),
    activateSubAccount: ({ principal, params }) => agency.setSuspended(principal.accountId, params.account_id, false),
    setSubAccountSlots: ({ principal, params, body }) =>
      agency.setSlots(principal.accountId, params.account_id, body.slots_allocated),

    async listSubAccountKeys({ principal, params, query }) {
      const { id: accountId } = await agency.get(principal.accountId, params.account_id)
      return listPage(cursors, `sub-account-keys:${accountId}`, query, {
        read: ({ after, rows }) => accounts.pageOfKeys(accountId, after && String(after[0]), rows),
        at: ({ id }) => [id],
        show: (keys) => keys.map(toKey),
      })
    },
    async createSubAccountKey({ principal, params, body }) {
      const expiresAt = body.expires_at ?? null
      const made = await agency.createKey(principal, params.account_id, {
        ...{ name: body.name, scopes: body.scopes, allowedInstanceIds: body.allowed_instance_ids ?? null },
        expiresAtMs: expiresAt === null ? null : Date.parse(expiresAt),
      })
      return { ...toKey({ ...made, lastUsedAtMs: null, revokedAtMs: null }), key: made.key.open() }
    },
    async deleteSubAccountKey({ principal, params }) {
      const { id: accountId } = await agency.get(principal.accountId, params.account_id)
      await accounts.revokeKey(accountId, params.key_id)
      return undefined
    },

    transferInstance: ({ principal, params, body }) => agency.transfer(principal.accountId, params.id, body.account_id),

    async getAgencyUsage({ principal, query, wantsCsv }) {
      const { account_id: only, ...span } = query
      return usageReport(usage, {
        accountIds: await agency.family(principal.accountId, only),
        ...{ query: span, wantsCsv, forSpreadsheets: principal.kind === 'console' },
        today: await usage.today(principal.accountId),
      })
    },
    async listClients({ principal: { accountId }, query }) {
      const { limit = LIMITS.pageSizeDefault, cursor, ...filters } = query
      const list = JSON.stringify(['clients', accountId, filters.q ?? null, filters.status ?? null])
      const position = cursor === undefined ? null : cursors.decode(list, cursor)
      const after = position === null ? null : { name: String(position[0]), id: String(position[1]) }
      const { data, last } = await agency.clients(accountId, { ...filters, after, rows: limit })
      return {
        data: [...data],
        next_cursor: last === null ? null : cursors.encode(list, [last.name, last.id]),
        has_more: last !== null,
      }
    },
  }
}

export function agencyExistence(agency: Agency): Existence<typeof agencyContract> {
  const subAccount = (
    { accountId }: { accountId: Parameters<Agency['get']>[0] },
    { account_id: id }: { account_id: string },
  ) => agency.get(accountId, id)
  return {
    getSubAccount: subAccount,
    updateSubAccount: subAccount,
    deleteSubAccount: subAccount,
    suspendSubAccount: subAccount,
    activateSubAccount: subAccount,
    setSubAccountSlots: subAccount,
    listSubAccountKeys: subAccount,
    createSubAccountKey: subAccount,
    deleteSubAccountKey: subAccount,
    transferInstance: ({ accountId }, { id }) => agency.ownerOf(accountId, id),
  }
}

const toKey = (key: Omit<ApiKey, 'accountId'>): SubAccountKey => ({
  ...{ id: key.id, name: key.name, last4: key.last4, scopes: [...key.scopes] },
  allowed_instance_ids: key.allowedInstanceIds && [...key.allowedInstanceIds],
  expires_at: isoTimeOrNull(key.expiresAtMs),
  last_used_at: isoTimeOrNull(key.lastUsedAtMs),
  revoked_at: isoTimeOrNull(key.revokedAtMs),
  created_at: isoTime(key.createdAtMs),
})
