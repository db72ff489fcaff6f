import type { ConsoleRole } from '../../contract/operation.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

export const insertSession = sql<
  SessionOrigin & {
    hash: Uint8Array
    accountId: string
    role: ConsoleRole
    memberId: string | null
    byLink: 0 | 1
    now: number
  }
>(
  `INSERT INTO console_sessions (hash, account_id, role, member_id, by_link, address, browser, created_at, used_at)
   VALUES (:hash, :accountId, :role, :memberId, :byLink, :address, :browser, :now, :now)`,
)

/** Browser and network of a sign-in. */
export interface SessionOrigin {
  readonly address: string | null
  /** Such as `Chrome on Windows`. */
  readonly browser: string | null
}

export interface SessionRow extends SessionOrigin {
  readonly hash: Uint8Array
  readonly role: ConsoleRole
  readonly memberName: string | null
  readonly createdAtMs: number
  readonly usedAtMs: number
}

/**
 * A session with the current name of its account; the caller checks its expiry. Sessions of removed members and
 * deleted accounts are not found, even if their rows remain.
 */
export const sessionByHash = sql<
  { hash: Uint8Array },
  {
    accountId: AccountId
    accountName: string
    role: ConsoleRole
    memberId: string | null
    memberName: string | null
    byLink: 0 | 1
    createdAtMs: number
    usedAtMs: number
  }
>(
  `SELECT s.account_id AS accountId, a.name AS accountName, s.role, s.member_id AS memberId, m.name AS memberName,
     s.by_link AS byLink, s.created_at AS createdAtMs, s.used_at AS usedAtMs
   FROM console_sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN members m ON m.id = s.member_id
   WHERE s.hash = :hash AND a.deleted_at IS NULL AND (s.member_id IS NULL OR m.id IS NOT NULL)`,
)

export const recordSessionUse = sql<{ hash: Uint8Array; now: number }>(
  'UPDATE console_sessions SET used_at = :now WHERE hash = :hash AND used_at < :now',
)

export const removeSession = sql<{ hash: Uint8Array }>('DELETE FROM console_sessions WHERE hash = :hash')

/** Most recently used first. */
export const sessionsOf = sql<{ accountId: string }, SessionRow>(
  `SELECT s.hash, s.role, m.name AS memberName, s.address, s.browser, s.created_at AS createdAtMs, s.used_at AS usedAtMs
   FROM console_sessions s LEFT JOIN members m ON m.id = s.member_id
   WHERE s.account_id = :accountId ORDER BY s.used_at DESC`,
)

interface EndedSession {
  readonly hash: Uint8Array
}

export const removeSessionsOfAccount = sql<{ accountId: string }, EndedSession>(
  'DELETE FROM console_sessions WHERE account_id = :accountId RETURNING hash',
)

export const removeSessionsOfMember = sql<{ memberId: string; kept: Uint8Array }, EndedSession>(
  'DELETE FROM console_sessions WHERE member_id = :memberId AND hash <> :kept RETURNING hash',
)

export const removeSessionsOfOperator = sql<{ accountId: string; kept: Uint8Array }, EndedSession>(
  `DELETE FROM console_sessions WHERE account_id = :accountId AND role = 'operator' AND hash <> :kept RETURNING hash`,
)

export const removeIdleSessions = sql<{ before: number }>('DELETE FROM console_sessions WHERE used_at <= :before')

/** Keeps the most recently used ones of this account and role, so repeated sign-ins cannot fill the table. */
export const removeSurplusSessions = sql<{ accountId: string; role: ConsoleRole; kept: number }>(
  `DELETE FROM console_sessions WHERE account_id = :accountId AND role = :role AND hash NOT IN (
     SELECT hash FROM console_sessions WHERE account_id = :accountId AND role = :role
      ORDER BY used_at DESC LIMIT :kept)`,
)

interface StoredPassword {
  readonly salt: Uint8Array
  readonly hash: Uint8Array
  readonly cost: number
}

export const passwordOf = sql<{ accountId: string }, StoredPassword>(
  'SELECT salt, hash, cost FROM console_passwords WHERE account_id = :accountId',
)

export const upsertPassword = sql<StoredPassword & { accountId: string; now: number }>(
  `INSERT INTO console_passwords (account_id, salt, hash, cost, set_at) VALUES (:accountId, :salt, :hash, :cost, :now)
   ON CONFLICT (account_id) DO UPDATE SET salt = excluded.salt, hash = excluded.hash, cost = excluded.cost,
     set_at = excluded.set_at`,
)

export const removePassword = sql<{ accountId: string }>('DELETE FROM console_passwords WHERE account_id = :accountId')
