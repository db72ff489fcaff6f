import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

export interface GrantRow {
  source: string
  sourceKey: string
  accountId: string
  slots: number
  /** JSON; null: the grant does not change features. */
  features: string | null
  voicePackages: number
  frozen: 0 | 1
}

export const putGrant = sql<GrantRow & { now: number }, { accountId: string }>(
  `INSERT INTO entitlement_grants (source, source_key, account_id, slots, features, voice_packages, frozen, granted_at)
   VALUES (:source, :sourceKey, :accountId, :slots, :features, :voicePackages, :frozen, :now)
   ON CONFLICT (source, source_key) DO UPDATE SET slots = excluded.slots, features = excluded.features,
     voice_packages = excluded.voice_packages, frozen = excluded.frozen
   WHERE entitlement_grants.account_id = excluded.account_id
   RETURNING account_id AS accountId`,
)

type GrantName = Pick<GrantRow, 'source' | 'sourceKey'>

export const holderOf = sql<GrantName, { accountId: string }>(
  'SELECT account_id AS accountId FROM entitlement_grants WHERE source = :source AND source_key = :sourceKey',
)

export const removeGrant = sql<GrantName>(
  'DELETE FROM entitlement_grants WHERE source = :source AND source_key = :sourceKey',
)

export const grantsOf = sql<{ accountId: string }, GrantRow>(
  `SELECT source, source_key AS sourceKey, account_id AS accountId, slots, features, voice_packages AS voicePackages,
     frozen
   FROM entitlement_grants WHERE account_id = :accountId`,
)

/** undefined: the account does not exist. */
export const parentOf = sql<{ accountId: string }, { parentId: string | null }>(
  'SELECT parent_account_id AS parentId FROM accounts WHERE id = :accountId',
)

export const familyOf = sql<{ parentId: string }, { id: AccountId }>(
  'SELECT id FROM accounts WHERE parent_account_id = :parentId AND deleted_at IS NULL',
)

/** Slots that an account gave to its sub-accounts, and the number of their instances. */
export const givenAway = sql<{ parentId: string; source: string }, { slots: number | null }>(
  `SELECT SUM(g.slots) AS slots FROM accounts a JOIN entitlement_grants g ON g.account_id = a.id
   WHERE a.parent_account_id = :parentId AND g.source = :source`,
)

export const liveInSubAccounts = sql<{ parentId: string }, { live: number | null }>(
  'SELECT SUM(instances_live) AS live FROM accounts WHERE parent_account_id = :parentId',
)

export const liveIn = sql<{ accountId: string }, { live: number }>(
  'SELECT instances_live AS live FROM accounts WHERE id = :accountId',
)
