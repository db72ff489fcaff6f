import { ApiError } from '../../contract/errors.ts'
import { isoTime } from '../../contract/request.ts'
import { grants, SCOPE_ALIASES, type AcceptedScope, type Scope } from '../../contract/scopes.ts'
import { creatorOf, type Principal } from '../../kernel/access.ts'
import type { Tx } from '../../kernel/db.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { createBrands } from './branding.ts'
import { createClients } from './clients.ts'
import type { AgencyDeps } from './deps.ts'
import { deletedWithWebhooks, familyOf, parentOf, subAccountById, subAccountByRef, subAccountsPage } from './store.ts'
import { createSubAccounts } from './sub-accounts.ts'

export type { AgencyDeps } from './deps.ts'

export type Agency = ReturnType<typeof createAgency>

export function createAgency(deps: AgencyDeps) {
  const { db, accounts, entitlements, instances, live } = deps
  const subAccounts = createSubAccounts(deps)
  const brands = createBrands(deps)

  /** Whether the account is the parent or one of its sub-accounts. */
  const isInFamily = async (read: Pick<Tx, 'one'>, parentId: AccountId, id: string): Promise<boolean> =>
    id === parentId || (await read.one(subAccountById, { parentId, id })) !== undefined

  /** @throws ApiError not_found for an instance outside these accounts. */
  async function ownerOf(parentId: AccountId, id: string): Promise<AccountId> {
    const owner = await instances.accountOf(id.toLowerCase() as InstanceId)
    if (owner === undefined || !(await isInFamily({ one: db.readOne }, parentId, owner))) throw noSuchInstance()
    return owner
  }

  /** Removes webhooks of deleted accounts that an earlier process left behind. */
  async function recover(): Promise<void> {
    for (const { accountId } of await db.read(deletedWithWebhooks, {})) await deps.removeWebhooks(accountId)
  }

  return {
    ...subAccounts,
    ...brands,
    ownerOf,
    clients: createClients(deps),
    slots: (accountId: AccountId) => entitlements.slots(accountId),

    async page(
      parentId: AccountId,
      query: { status?: 'active' | 'suspended'; external_ref?: string; beforeId: string; rows: number },
    ) {
      const { status = null, external_ref: externalRef, beforeId, rows } = query
      if (externalRef === undefined) return db.read(subAccountsPage, { parentId, status, beforeId, rows })
      const found = await db.readOne(subAccountByRef, { parentId, externalRef })
      const fits = found !== undefined && found.id < beforeId && (status === null || found.status === status)
      return fits ? [found] : []
    },

    /** The caller's account and every current or former sub-account. */
    async family(parentId: AccountId, only: string | undefined): Promise<AccountId[]> {
      const below = (await db.read(familyOf, { parentId })).map(({ id }) => id)
      if (only === undefined) return [parentId, ...below]
      const found = [parentId, ...below].find((id) => id === only.toLowerCase())
      if (found === undefined)
        throw new ApiError('not_found', 'account_id names no sub-account of this agency.').because('chosen_gone', {
          field: 'account_id',
        })
      return [found]
    },

    async createKey(
      principal: Principal,
      id: string,
      wish: {
        name: string
        scopes: readonly AcceptedScope[]
        allowedInstanceIds: readonly string[] | null
        expiresAtMs: number | null
      },
    ) {
      const { id: accountId } = await subAccounts.get(principal.accountId, id)
      if (wish.allowedInstanceIds !== null) {
        const known = await instances.known(
          accountId,
          wish.allowedInstanceIds.map((one) => one.toLowerCase()),
        )
        if (wish.allowedInstanceIds.some((one) => !known.has(one.toLowerCase())))
          throw new ApiError(
            'not_found',
            'allowed_instance_ids names an instance that the sub-account does not have.',
          ).because('chosen_gone', { field: 'allowed_instance_ids' })
      }
      const lacking = wish.scopes.find((name) => !mayGive(principal, name))
      if (lacking !== undefined)
        throw new ApiError(
          'insufficient_scope',
          `This key lacks the scope ${lacking}, so it cannot give it to another.`,
        )
      return accounts.createKey({ ...wish, accountId, createdBy: creatorOf(principal) })
    },

    async transfer(parentId: AccountId, id: string, wanted: string) {
      const from = await ownerOf(parentId, id)
      const to = wanted.toLowerCase() as AccountId
      const instanceId = id.toLowerCase() as InstanceId
      const { instance, atMs } = await instances.transfer({
        ...{ id: instanceId, from, to },
        async check(tx) {
          if (!(await isInFamily(tx, parentId, from))) throw noSuchInstance()
          if (!(await isInFamily(tx, parentId, to)))
            throw new ApiError(
              'not_found',
              'account_id names neither this agency nor one of its sub-accounts.',
            ).because('chosen_gone', { field: 'account_id' })
        },
        async record(tx) {
          await accounts.dropFromKeys(tx, from, instanceId)
          tx.afterCommit(() => {
            for (const accountId of [from, to, parentId]) live.publish(accountId, { topic: 'instances' })
            live.publish(parentId, { topic: 'agency' })
          })
        },
      })
      return {
        ...{ id: instance.id, name: instance.name, account_id: to, previous_account_id: from },
        ...{ external_ref: instance.externalRef, transferred_at: isoTime(atMs) },
      }
    },

    /** false if the account does not exist or is suspended. */
    async isOpen(accountId: AccountId): Promise<boolean> {
      return (await db.readOne(parentOf, { accountId }))?.status === 'active'
    },

    recover,
    chore: {
      name: 'agency.webhooks',
      begin: () => async () => {
        await recover()
        return false
      },
    } satisfies Chore,
  }
}

/** A person at the console may grant every scope; a key may grant only its own. */
function mayGive(principal: Principal, name: AcceptedScope): boolean {
  if (principal.kind === 'console') return true
  const scope: Scope = name in SCOPE_ALIASES ? SCOPE_ALIASES[name as keyof typeof SCOPE_ALIASES] : (name as Scope)
  return grants(principal.scopes, scope)
}

const noSuchInstance = () => new ApiError('not_found', 'There is no instance with this id.')
