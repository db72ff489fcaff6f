import type { ApprovalPolicy } from '../../contract/approval.ts'
import type { AcceptedScope } from '../../contract/scopes.ts'
import type { AccountId, KeyId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

export interface Account {
  readonly id: AccountId
  readonly name: string
}

/** A stored key, without its value. */
export interface ApiKey {
  readonly id: KeyId
  readonly accountId: AccountId
  readonly name: string
  readonly last4: string
  readonly scopes: readonly AcceptedScope[]
  /** null: all instances. */
  readonly allowedInstanceIds: readonly string[] | null
  /** null: the default setting. */
  readonly ratePerMinute: number | null
  readonly approval: ApprovalPolicy
  readonly expiresAtMs: number | null
  /** May be a minute out of date. */
  readonly lastUsedAtMs: number | null
  readonly revokedAtMs: number | null
  readonly createdAtMs: number
}

type KeyRow = Omit<ApiKey, 'scopes' | 'allowedInstanceIds'> & { scopes: string; allowedInstanceIds: string | null }

/** Key of the row in `meta` that stores it. */
export const OPERATOR_ACCOUNT = 'operator_account'

export const operatorAccount = sql<object, Account>(
  `SELECT a.id, a.name FROM meta m JOIN accounts a ON a.id = m.value WHERE m.name = '${OPERATOR_ACCOUNT}'`,
)

/** The account of a home that does not record the operator's account; such a home had only one. */
export const firstAccount = sql<object, Account>('SELECT id, name FROM accounts ORDER BY id LIMIT 1')

export const insertAccount = sql<{ id: string; name: string; now: number }>(
  'INSERT INTO accounts (id, name, change_at, created_at) VALUES (:id, :name, :now, :now)',
)

/** null: it is not a sub-account. */
export const parentAccount = sql<{ id: string }, { parentId: string | null }>(
  'SELECT parent_account_id AS parentId FROM accounts WHERE id = :id',
)

export const renameAccount = sql<{ id: string; name: string }>('UPDATE accounts SET name = :name WHERE id = :id')

export const timeZoneOf = sql<{ accountId: string }, { timezone: string | null }>(
  'SELECT timezone FROM accounts WHERE id = :accountId',
)

export const setTimeZone = sql<{ accountId: string; zone: string | null }>(
  'UPDATE accounts SET timezone = :zone WHERE id = :accountId',
)

export const setStatus = sql<{ accountId: string; status: 'active' | 'suspended' }>(
  'UPDATE accounts SET status = :status WHERE id = :accountId',
)

/** Read once, when the service starts. */
export const suspendedAccounts = sql<object, { id: AccountId }>("SELECT id FROM accounts WHERE status = 'suspended'")

/** The account that a caller wants to act in. The operator may choose any account, a member only their own. */
export const accountById = sql<{ id: string }, Account>(
  'SELECT id, name FROM accounts WHERE id = :id AND deleted_at IS NULL',
)

/** A key that was not revoked. Every send reads it, and a join with its account takes four times as long (measured). */
export const standingKey = sql<{ id: string }, { accountId: string }>(
  'SELECT account_id AS accountId FROM api_keys WHERE id = :id AND revoked_at IS NULL',
)

/** A member who was not removed. */
export const standingMember = sql<{ id: string; accountId: string }, { accountId: string }>(
  'SELECT account_id AS accountId FROM members WHERE id = :id AND account_id = :accountId',
)

/** How many instances the account has ever had. */
export const instancesMade = sql<{ id: string }, { made: number }>(
  'SELECT instances_made AS made FROM accounts WHERE id = :id',
)

const KEY = `k.id, k.account_id AS accountId, k.name, k.last4, k.scopes, k.allowed_instance_ids AS allowedInstanceIds,
  k.rate_per_minute AS ratePerMinute, k.approval, k.expires_at AS expiresAtMs, k.last_used_at AS lastUsedAtMs,
  k.revoked_at AS revokedAtMs, k.created_at AS createdAtMs`

export const insertKey = sql<{
  id: string
  accountId: string
  name: string
  hash: Uint8Array
  last4: string
  scopes: string
  allowedInstanceIds: string | null
  ratePerMinute: number | null
  approval: string
  expiresAtMs: number | null
  createdBy: string | null
  now: number
}>(`INSERT INTO api_keys (id, account_id, name, hash, last4, scopes, allowed_instance_ids, rate_per_minute,
      approval, expires_at, created_by, created_at)
    VALUES (:id, :accountId, :name, :hash, :last4, :scopes, :allowedInstanceIds, :ratePerMinute, :approval,
      :expiresAtMs, :createdBy, :now)`)

/** A usable key with the name of its account; the caller checks its expiry. */
export const usableKey = sql<{ hash: Uint8Array }, KeyRow & { hash: Uint8Array; accountName: string }>(
  `SELECT ${KEY}, k.hash, a.name AS accountName FROM api_keys k JOIN accounts a ON a.id = k.account_id
   WHERE k.hash = :hash AND k.revoked_at IS NULL`,
)

/** The same by id, for work that a key started and that runs later. */
export const usableKeyById = sql<{ id: string }, KeyRow & { accountName: string }>(
  `SELECT ${KEY}, a.name AS accountName FROM api_keys k JOIN accounts a ON a.id = k.account_id
   WHERE k.id = :id AND k.revoked_at IS NULL`,
)

export const keysOfAccount = sql<{ accountId: string }, KeyRow>(
  `SELECT ${KEY} FROM api_keys k WHERE k.account_id = :accountId ORDER BY k.id DESC`,
)

/** A page of `keysOfAccount`; `beforeId` is the end of the previous page. */
export const pageOfKeys = sql<{ accountId: string; beforeId: string; rows: number }, KeyRow>(
  `SELECT ${KEY} FROM api_keys k WHERE k.account_id = :accountId AND k.id < :beforeId ORDER BY k.id DESC LIMIT :rows`,
)

/** Repeating it returns the time of the first revocation. */
export const revoke = sql<{ id: string; accountId: string; now: number }, { revokedAtMs: number }>(
  `UPDATE api_keys SET revoked_at = COALESCE(revoked_at, :now) WHERE id = :id AND account_id = :accountId
   RETURNING revoked_at AS revokedAtMs`,
)

export const revokeAll = sql<{ accountId: string; now: number }, { id: KeyId }>(
  'UPDATE api_keys SET revoked_at = :now WHERE account_id = :accountId AND revoked_at IS NULL RETURNING id',
)

/** Keys that this person or key created, in any account, and that were not revoked. */
export const keysCreatedBy = sql<{ creator: string }, KeyRow & { accountName: string }>(
  `SELECT ${KEY}, a.name AS accountName FROM api_keys k JOIN accounts a ON a.id = k.account_id
   WHERE k.created_by = :creator AND k.revoked_at IS NULL ORDER BY k.id DESC`,
)

/** Keys of the account from versions that did not record their creator. */
export const keysOfUnknownCreator = sql<{ accountId: string }, KeyRow & { accountName: string }>(
  `SELECT ${KEY}, a.name AS accountName FROM api_keys k JOIN accounts a ON a.id = k.account_id
   WHERE k.account_id = :accountId AND k.created_by IS NULL AND k.revoked_at IS NULL ORDER BY k.id DESC`,
)

export const setAllowedInstances = sql<{ id: string; allowedInstanceIds: string }>(
  'UPDATE api_keys SET allowed_instance_ids = :allowedInstanceIds WHERE id = :id',
)

export const recordUse = sql<{ id: string; at: number }>(
  'UPDATE api_keys SET last_used_at = :at WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :at)',
)

export function toKey(row: KeyRow): ApiKey {
  const { id, accountId, name, last4, ratePerMinute, approval, expiresAtMs, lastUsedAtMs, revokedAtMs, createdAtMs } =
    row
  const rest = { ratePerMinute, approval, expiresAtMs, lastUsedAtMs, revokedAtMs, createdAtMs }
  // createKey wrote both columns from these types.
  const scopes = JSON.parse(row.scopes) as AcceptedScope[]
  const allowedInstanceIds = row.allowedInstanceIds === null ? null : (JSON.parse(row.allowedInstanceIds) as string[])
  return { id, accountId, name, last4, scopes, allowedInstanceIds, ...rest }
}
