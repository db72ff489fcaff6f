import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { ApprovalPolicy } from '../../contract/approval.ts'
import type { AcceptedScope } from '../../contract/scopes.ts'
import type { Creator } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, Ids, KeyId, Random } from '../../kernel/ids.ts'
import { hashKey, newKey } from '../../kernel/keys.ts'
import type { Secret } from '../../kernel/secret.ts'
import type { EndedAccesses } from './ended-access.ts'
import {
  insertKey,
  keysCreatedBy,
  keysOfAccount,
  keysOfUnknownCreator,
  pageOfKeys,
  revoke,
  toKey,
  type ApiKey,
} from './store.ts'

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'key'>
  readonly random: Random
  /** Which of the ids are instances of the account that were not deleted. */
  readonly knownInstances: (accountId: AccountId, ids: readonly string[]) => Promise<ReadonlySet<string>>
  /** Called after each commit that changes a key. */
  readonly onChanged: () => void
  readonly endAccess: EndedAccesses['endAccess']
}

export interface NewKey {
  readonly accountId: AccountId
  readonly name: string
  readonly scopes: readonly AcceptedScope[]
  /** null: all instances. */
  readonly allowedInstanceIds: readonly string[] | null
  readonly expiresAtMs: number | null
  /** Absent or null: the default setting. */
  readonly ratePerMinute?: number | null
  /** Absent: none. */
  readonly approval?: ApprovalPolicy
  /** Absent: unknown. */
  readonly createdBy?: Creator | null
}

/** With the name of its account, because an agency can create keys in its clients' accounts. */
type CreatedBy = ApiKey & { readonly accountName: string }

/** A new key. Its value is returned only now and not stored. */
interface CreatedKey extends Omit<ApiKey, 'lastUsedAtMs' | 'revokedAtMs'> {
  readonly key: Secret
}

export interface Keys {
  /** @throws ApiError validation_error when a rule is violated or the restriction names an unknown instance. */
  readonly createKey: (wish: NewKey) => Promise<CreatedKey>
  /** Newest first, revoked and expired ones included. */
  readonly listKeys: (accountId: AccountId) => Promise<ApiKey[]>
  /** The same, at most `rows` of those older than the key `beforeId`. */
  readonly pageOfKeys: (accountId: AccountId, beforeId: string | undefined, rows: number) => Promise<ApiKey[]>
  /**
   * Takes effect with the next request and ends the key's open streams. Repeating it changes nothing.
   * @param keepsCreated the keys, links and secrets that were created with it stay.
   * @throws ApiError not_found
   */
  readonly revokeKey: (accountId: AccountId, id: string, keepsCreated?: boolean) => Promise<{ revokedAtMs: number }>
  /** Runs in the commit of another room. Also revokes keys that were created with these keys. */
  readonly revokeKeys: (tx: Tx, keys: readonly RevokedKey[]) => Promise<void>
  /** Usable keys that this person or key created, newest first. */
  readonly keysCreatedBy: (read: Pick<Tx, 'all'>, creator: Creator) => Promise<CreatedBy[]>
  /** Usable keys of the account from versions that did not record their creator. */
  readonly keysOfUnknownCreator: (read: Pick<Tx, 'all'>, accountId: AccountId) => Promise<CreatedBy[]>
}

type RevokedKey = Pick<ApiKey, 'id' | 'accountId'>

/** Sorts after every id, which is hexadecimal. */
const AFTER_ALL = 'g'

export function createKeys({ db, clock, ids, random, knownInstances, onChanged, endAccess }: Deps): Keys {
  const isUsable = ({ expiresAtMs }: ApiKey) => expiresAtMs === null || expiresAtMs > clock.now()
  const revokeKeys: Keys['revokeKeys'] = async (tx, keys) => {
    for (const queue = [...keys]; ;) {
      const key = queue.shift()
      if (key === undefined) break
      await tx.one(revoke, { ...key, now: clock.now() })
      await endAccess(tx, { who: `key:${key.id}`, accountId: key.accountId, endsLinks: true })
      queue.push(...(await tx.all(keysCreatedBy, { creator: `key:${key.id}` })))
    }
    tx.afterCommit(onChanged)
  }
  return {
    async createKey(wish) {
      const { accountId, name, expiresAtMs, ratePerMinute = null, approval = 'none', createdBy = null } = wish
      const [scopes, allowedInstanceIds] = [
        unique(wish.scopes),
        wish.allowedInstanceIds && ownIds(wish.allowedInstanceIds),
      ]
      checkNewKey(wish, clock.now())
      if (allowedInstanceIds) await rejectUnknownInstances(accountId, allowedInstanceIds)
      const key = newKey(random)
      const now = clock.now()
      const made = { id: ids.key(), accountId, name, last4: key.last4, ratePerMinute, approval, expiresAtMs }
      const lists = {
        scopes: JSON.stringify(scopes),
        allowedInstanceIds: allowedInstanceIds && JSON.stringify(allowedInstanceIds),
      }
      await db.commit((tx) => tx.run(insertKey, { ...made, ...lists, createdBy, hash: hashKey(key.open()), now }))
      return { ...made, key, scopes, allowedInstanceIds, createdAtMs: now }
    },

    listKeys: async (accountId) => (await db.read(keysOfAccount, { accountId })).map(toKey),

    pageOfKeys: async (accountId, beforeId = AFTER_ALL, rows) =>
      (await db.read(pageOfKeys, { accountId, beforeId, rows })).map(toKey),

    revokeKey: (accountId, id, keepsCreated = false) =>
      db.commit(async (tx) => {
        const revoked = await tx.one(revoke, { id, accountId, now: clock.now() })
        if (!revoked) throw new ApiError('not_found', `There is no API key with the id ${id}.`)
        if (!keepsCreated) await revokeKeys(tx, [{ id: id as KeyId, accountId }])
        else await endAccess(tx, { who: `key:${id}`, accountId, endsLinks: false })
        tx.afterCommit(onChanged)
        return revoked
      }),
    revokeKeys,
    keysCreatedBy: async (read, creator) =>
      (await read.all(keysCreatedBy, { creator })).map(withAccountName).filter(isUsable),
    keysOfUnknownCreator: async (read, accountId) =>
      (await read.all(keysOfUnknownCreator, { accountId })).map(withAccountName).filter(isUsable),
  }

  async function rejectUnknownInstances(accountId: AccountId, wanted: readonly string[]): Promise<void> {
    const known = await knownInstances(accountId, wanted)
    const unknown = wanted.filter((id) => !known.has(id))
    if (unknown.length === 0) return
    throw invalid(
      `There is no instance ${unknown.join(', ')} in this account, so no key can be restricted to it. Check the ids.`,
    ).because('chosen_gone', { field: 'allowed_instance_ids' })
  }
}

const withAccountName = (row: Parameters<typeof toKey>[0] & { accountName: string }): CreatedBy => ({
  ...toKey(row),
  accountName: row.accountName,
})

function checkNewKey({ name, scopes, allowedInstanceIds, expiresAtMs }: NewKey, nowMs: number): void {
  if (name.length < 1 || name.length > LIMITS.keyNameLength)
    throw invalid(`name must have 1 to ${LIMITS.keyNameLength} characters.`).because('field_length_max', {
      field: 'name',
      n: LIMITS.keyNameLength,
    })
  if (scopes.length === 0)
    throw invalid('scopes must name at least one scope.').because('field_empty', { field: 'scopes' })
  // A key with an empty list could access nothing. Most callers who send one mean "all", which is null.
  if (allowedInstanceIds?.length === 0)
    throw invalid('allowed_instance_ids must name at least one instance; null means all.').because('field_empty', {
      field: 'allowed_instance_ids',
    })
  if (expiresAtMs !== null && expiresAtMs <= nowMs)
    throw invalid('expires_at must be in the future.').because('field_time_passed', { field: 'expires_at' })
}

const invalid = (message: string) => new ApiError('validation_error', message)

const unique = <T>(list: readonly T[]): T[] => [...new Set(list)]

/** Ids in the form in which instances store them; access checks compare these. */
const ownIds = (ids: readonly string[]) => unique(ids.map((id) => id.toLowerCase()))
