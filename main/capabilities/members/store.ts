import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

export interface MemberRow {
  readonly id: string
  readonly accountId: AccountId
  readonly name: string
  readonly email: string
  /** A password of the account from before members had their own. Anybody who knows it can sign in. */
  readonly isShared: 0 | 1
  readonly invitationExpiresAtMs: number | null
  readonly hasPassword: 0 | 1
  readonly lastSeenAtMs: number | null
  readonly sessions: number
  readonly createdAtMs: number
}

const COLUMNS = `m.id, m.account_id AS accountId, m.name, m.email, m.is_shared AS isShared, m.invitation_expires_at AS invitationExpiresAtMs,
  CASE WHEN m.password_hash IS NULL THEN 0 ELSE 1 END AS hasPassword,
  (SELECT MAX(s.used_at) FROM console_sessions s WHERE s.member_id = m.id) AS lastUsedAtMs,
  m.last_seen_at AS lastSeenAtMs, (SELECT COUNT(*) FROM console_sessions s WHERE s.member_id = m.id) AS sessions,
  m.created_at AS createdAtMs`

type StoredRow = MemberRow & { readonly lastUsedAtMs: number | null }
type Id = { id: string }

export const membersOfAccount = sql<{ accountId: string }, StoredRow>(
  `SELECT ${COLUMNS} FROM members m WHERE m.account_id = :accountId ORDER BY m.name, m.id`,
)
export const memberById = sql<Id & { accountId: string }, StoredRow>(
  `SELECT ${COLUMNS} FROM members m WHERE m.id = :id AND m.account_id = :accountId`,
)
export const emailTaken = sql<{ email: string }, Id>('SELECT id FROM members WHERE email = :email')

export const insertMember = sql<
  Id & { accountId: string; name: string; email: string; invitation: Uint8Array; expiresAt: number; now: number }
>(
  `INSERT INTO members (id, account_id, name, email, invitation, invitation_expires_at, created_at)
   VALUES (:id, :accountId, :name, :email, :invitation, :expiresAt, :now)`,
)

export const setInvitation = sql<Id & { invitation: Uint8Array; expiresAt: number }>(
  'UPDATE members SET invitation = :invitation, invitation_expires_at = :expiresAt WHERE id = :id',
)

type Invitation = { invitation: Uint8Array; now: number }

export const memberByInvitation = sql<Invitation, Id & { accountId: AccountId }>(
  `SELECT id, account_id AS accountId FROM members WHERE invitation = :invitation AND invitation_expires_at > :now`,
)

/** Works once: a second browser finds nothing. */
export const redeemInvitation = sql<Invitation, Id>(
  `UPDATE members SET invitation = NULL, invitation_expires_at = NULL, last_seen_at = :now
   WHERE invitation = :invitation AND invitation_expires_at > :now RETURNING id`,
)

interface StoredPassword {
  readonly salt: Uint8Array | null
  readonly hash: Uint8Array | null
  readonly cost: number | null
}

/** The stored hash that a password is checked against. */
export const passwordOfMember = sql<Id, StoredPassword>(
  'SELECT password_salt AS salt, password_hash AS hash, password_cost AS cost FROM members WHERE id = :id',
)

export const passwordByEmail = sql<{ email: string }, Id & StoredPassword & { accountId: AccountId }>(
  `SELECT id, account_id AS accountId, password_salt AS salt, password_hash AS hash, password_cost AS cost
   FROM members WHERE email = :email`,
)

export const setPassword = sql<Id & { salt: Uint8Array; hash: Uint8Array; cost: number }>(
  `UPDATE members SET password_salt = :salt, password_hash = :hash, password_cost = :cost, invitation = NULL,
     invitation_expires_at = NULL
   WHERE id = :id`,
)

export const markSeen = sql<Id & { now: number }>('UPDATE members SET last_seen_at = :now WHERE id = :id')
export const removeMember = sql<Id>('DELETE FROM members WHERE id = :id')
export const sharedPasswordOf = sql<{ accountId: string }, Id>(
  'SELECT id FROM members WHERE account_id = :accountId AND is_shared = 1',
)
export const membersToRemove = sql<{ accountId: string }>('DELETE FROM members WHERE account_id = :accountId')

export const toMember = ({ lastUsedAtMs, ...row }: StoredRow): MemberRow => ({
  ...row,
  lastSeenAtMs: lastUsedAtMs ?? row.lastSeenAtMs,
})
