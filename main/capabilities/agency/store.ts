import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import { sqlOfList } from '../../kernel/sql-list.ts'

export interface SubAccountRow {
  readonly id: AccountId
  readonly name: string
  readonly externalRef: string | null
  readonly status: 'active' | 'suspended'
  readonly timezone: string | null
  readonly slotsUsed: number
  readonly createdAtMs: number
}

const COLUMNS = `id, name, external_ref AS externalRef, status, timezone, instances_live AS slotsUsed,
  created_at AS createdAtMs`

type OfParent = { parentId: string }

export const insertSubAccount = sql<
  OfParent & { id: string; name: string; externalRef: string | null; timezone: string | null; now: number }
>(
  `INSERT INTO accounts (id, name, parent_account_id, external_ref, timezone, change_at, created_at)
   VALUES (:id, :name, :parentId, :externalRef, :timezone, :now, :now)`,
)

export const subAccountById = sql<OfParent & { id: string }, SubAccountRow>(
  `SELECT ${COLUMNS} FROM accounts WHERE id = :id AND parent_account_id = :parentId AND deleted_at IS NULL`,
)

export const subAccountByRef = sql<OfParent & { externalRef: string }, SubAccountRow>(
  `SELECT ${COLUMNS} FROM accounts
   WHERE parent_account_id = :parentId AND external_ref = :externalRef AND deleted_at IS NULL`,
)

/** Newest first. */
export const subAccountsPage = sql<OfParent & { beforeId: string; status: string | null; rows: number }, SubAccountRow>(
  `SELECT ${COLUMNS} FROM accounts
   WHERE parent_account_id = :parentId AND id < :beforeId AND deleted_at IS NULL AND (status = :status OR :status IS NULL)
   ORDER BY id DESC LIMIT :rows`,
)

export const allSubAccounts = sql<OfParent, SubAccountRow>(
  `SELECT ${COLUMNS} FROM accounts WHERE parent_account_id = :parentId AND deleted_at IS NULL`,
)

/** Includes deleted accounts, because their usage stays. */
export const familyOf = sql<OfParent, { id: AccountId }>(
  'SELECT id FROM accounts WHERE parent_account_id = :parentId ORDER BY id',
)

/** null: it has no parent. undefined: the account no longer exists. */
export const parentOf = sql<{ accountId: string }, { parentId: AccountId | null; status: 'active' | 'suspended' }>(
  'SELECT parent_account_id AS parentId, status FROM accounts WHERE id = :accountId AND deleted_at IS NULL',
)

export const setExternalRef = sql<{ accountId: string; externalRef: string | null }>(
  'UPDATE accounts SET external_ref = :externalRef WHERE id = :accountId',
)

export const markDeleted = sql<{ accountId: string; now: number }>(
  'UPDATE accounts SET deleted_at = :now WHERE id = :accountId AND deleted_at IS NULL',
)

export const instancesLive = sql<{ accountId: string }, { live: number }>(
  'SELECT instances_live AS live FROM accounts WHERE id = :accountId',
)

/** Deleted accounts that still have webhooks because the process ended in between. */
export const deletedWithWebhooks = sql<object, { accountId: AccountId }>(
  `SELECT id AS accountId FROM accounts WHERE deleted_at IS NOT NULL
     AND EXISTS (SELECT 1 FROM webhooks w WHERE w.account_id = accounts.id AND w.deleted_at IS NULL)`,
)

export interface BrandRow {
  readonly displayName: string | null
  readonly logo: string | null
  readonly colors: string | null
  readonly supportUrl: string | null
  readonly allowedOrigins: string | null
}

export const brandOf = sql<{ accountId: string }, BrandRow>(
  `SELECT display_name AS displayName, logo, colors, support_url AS supportUrl, allowed_origins AS allowedOrigins
   FROM brands WHERE account_id = :accountId`,
)

export const putBrand = sql<BrandRow & { accountId: string }>(
  `INSERT INTO brands (account_id, display_name, logo, colors, support_url, allowed_origins)
   VALUES (:accountId, :displayName, :logo, :colors, :supportUrl, :allowedOrigins)
   ON CONFLICT (account_id) DO UPDATE SET display_name = excluded.display_name, logo = excluded.logo,
     colors = excluded.colors, support_url = excluded.support_url, allowed_origins = excluded.allowed_origins`,
)

export const namesOf = sql<{ accountId: string }, { name: string; parentId: AccountId | null }>(
  'SELECT name, parent_account_id AS parentId FROM accounts WHERE id = :accountId',
)

/** One row per instance; the caller counts them. */
export const numbersOf = sqlOfList<
  string,
  object,
  { id: string; accountId: string; status: string; wasConnected: 0 | 1 }
>(
  (ids) =>
    `SELECT id, account_id AS accountId, status, CASE WHEN last_connected_at IS NULL THEN 0 ELSE 1 END AS wasConnected
     FROM instances WHERE account_id IN (${ids}) AND deleted_at IS NULL`,
)

export const sendsOn = sqlOfList<string, { day: string }, { accountId: string; sent: number }>(
  (ids) =>
    `SELECT account_id AS accountId, SUM(sent) AS sent FROM usage_daily
     WHERE account_id IN (${ids}) AND day = :day GROUP BY account_id`,
)

export const deactivatedWebhooks = sqlOfList<string, object, { accountId: string }>(
  (ids) =>
    `SELECT account_id AS accountId FROM webhooks
     WHERE account_id IN (${ids}) AND deleted_at IS NULL AND state = 'deactivated'`,
)

/** Instances with messages that the network has left unconfirmed for a long time, or with a failing webhook. */
export const troubledNumbers = sqlOfList<string, { before: number }, { id: string; accountId: string }>(
  (ids) =>
    `SELECT i.id, i.account_id AS accountId FROM instances i
     WHERE i.account_id IN (${ids}) AND i.deleted_at IS NULL AND (
       EXISTS (SELECT 1 FROM messages m WHERE m.instance_id = i.id AND m.status = 'queued' AND m.created_at <= :before)
       OR EXISTS (SELECT 1 FROM instance_webhook_calls c
                  WHERE c.instance_id = i.id AND c.tries > 0 AND c.lease IS NULL))`,
)

export const waitingChats = sqlOfList<string, object, { accountId: string; count: number }>(
  (ids) =>
    `SELECT account_id AS accountId, COUNT(*) AS count FROM ai_conversations
     WHERE account_id IN (${ids}) AND waiting = 1 GROUP BY account_id`,
)

export const overdueOf = sqlOfList<string, object, { accountId: string }>(
  (ids) => `SELECT client_id AS accountId FROM billing_clients WHERE client_id IN (${ids}) AND state = 'past_due'`,
)

export const membersOf = sqlOfList<string, object, { accountId: string }>(
  (ids) => `SELECT account_id AS accountId FROM members WHERE account_id IN (${ids}) AND is_shared = 0`,
)

export const brandsOf = sqlOfList<
  string,
  object,
  { accountId: string; displayName: string | null; colors: string | null }
>(
  (ids) =>
    `SELECT account_id AS accountId, display_name AS displayName, colors FROM brands WHERE account_id IN (${ids})`,
)
