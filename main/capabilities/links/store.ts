import type { Creator } from '../../kernel/access.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

export interface LinkRow {
  readonly seq: number
  readonly id: string
  readonly permanent: 0 | 1
  readonly last4: string
  readonly createdAtMs: number
  readonly expiresAtMs: number | null
  readonly spentAtMs: number | null
  readonly revokedAtMs: number | null
  readonly uses: number
  readonly lastUsedAtMs: number | null
}

const COLUMNS = `l.seq, l.id, l.permanent, l.last4, l.created_at AS createdAtMs, l.expires_at AS expiresAtMs,
  l.spent_at AS spentAtMs, l.revoked_at AS revokedAtMs, l.uses, l.last_used_at AS lastUsedAtMs`

export const insertLink = sql<{
  seq: number
  id: string
  hash: Uint8Array
  instanceId: string
  permanent: 0 | 1
  last4: string
  expiresAt: number | null
  createdBy: string | null
  now: number
}>(
  `INSERT INTO access_links (seq, id, hash, instance_id, permanent, last4, created_at, expires_at, created_by)
   VALUES (:seq, :id, :hash, :instanceId, :permanent, :last4, :now, :expiresAt, :createdBy)`,
)

/** Newest first. */
export const linksPage = sql<{ instanceId: string; before: number; rows: number }, LinkRow>(
  `SELECT ${COLUMNS} FROM access_links l WHERE l.instance_id = :instanceId AND l.seq < :before
   ORDER BY l.seq DESC LIMIT :rows`,
)

export const linkById = sql<{ id: string; instanceId: string }, LinkRow>(
  `SELECT ${COLUMNS} FROM access_links l WHERE l.id = :id AND l.instance_id = :instanceId`,
)

export interface FoundLink extends LinkRow {
  readonly instanceId: InstanceId
  readonly accountId: AccountId
  readonly deletedAtMs: number | null
  readonly accountStatus: 'active' | 'suspended'
  readonly createdBy: Creator | null
}

/** Includes everything that decides whether the link is valid, in one statement. */
export const linkByHash = sql<{ hash: Uint8Array }, FoundLink>(
  `SELECT ${COLUMNS}, l.instance_id AS instanceId, i.account_id AS accountId, i.deleted_at AS deletedAtMs,
     a.status AS accountStatus, l.created_by AS createdBy
   FROM access_links l JOIN instances i ON i.id = l.instance_id JOIN accounts a ON a.id = i.account_id
   WHERE l.hash = :hash`,
)

export const openLinks = sql<{ instanceId: string; now: number }, { count: number }>(
  `SELECT COUNT(*) AS count FROM access_links WHERE instance_id = :instanceId AND revoked_at IS NULL
     AND spent_at IS NULL AND (expires_at IS NULL OR expires_at > :now)`,
)

export const revokeLink = sql<{ id: string; instanceId: string; now: number }>(
  `UPDATE access_links SET revoked_at = COALESCE(revoked_at, :now) WHERE id = :id AND instance_id = :instanceId`,
)

export const revokeOfInstance = sql<{ instanceId: string; now: number }>(
  'UPDATE access_links SET revoked_at = :now WHERE instance_id = :instanceId AND revoked_at IS NULL',
)

type OfCreator = { creator: string; now: number }

export interface OpenLink extends Pick<LinkRow, 'id' | 'permanent' | 'last4' | 'expiresAtMs'> {
  readonly instanceId: InstanceId
  readonly instanceName: string
}

/** Links that are still valid. */
export const linksCreatedBy = sql<OfCreator, OpenLink>(
  `SELECT l.id, l.permanent, l.last4, l.expires_at AS expiresAtMs, l.instance_id AS instanceId, i.name AS instanceName
   FROM access_links l JOIN instances i ON i.id = l.instance_id
   WHERE l.created_by = :creator AND l.revoked_at IS NULL AND l.spent_at IS NULL
     AND (l.expires_at IS NULL OR l.expires_at > :now) ORDER BY l.seq DESC`,
)

/** Instances that the creator of links could open, whatever the state of the links. */
export const instancesOfCreator = sql<{ creator: string }, { instanceId: InstanceId }>(
  'SELECT instance_id AS instanceId FROM access_links WHERE created_by = :creator',
)

export const revokeCreatedBy = sql<OfCreator, { instanceId: InstanceId }>(
  `UPDATE access_links SET revoked_at = :now WHERE created_by = :creator AND revoked_at IS NULL
   RETURNING instance_id AS instanceId`,
)

/** Opened links that are not permanent are used up now. */
export const spendLinks = sql<{ instanceId: string; now: number }, { seq: number }>(
  `UPDATE access_links SET spent_at = CASE permanent WHEN 0 THEN :now ELSE NULL END
   WHERE instance_id = :instanceId AND revoked_at IS NULL AND spent_at IS NULL AND opened_at IS NOT NULL
     AND (expires_at IS NULL OR expires_at > :now)
   RETURNING seq`,
)

export const countUse = sql<{ seq: number; now: number }>(
  `UPDATE access_links SET uses = uses + 1, last_used_at = :now, opened_at = COALESCE(opened_at, :now) WHERE seq = :seq`,
)

export interface UseRow {
  readonly atMs: number
  readonly kind: 'opened' | 'paired'
  readonly address: string | null
  readonly browser: string | null
}

export const insertUse = sql<{
  seq: number
  linkSeq: number
  now: number
  kind: string
  address: string | null
  browser: string | null
}>(
  `INSERT INTO access_link_uses (seq, link_seq, at, kind, address, browser)
   VALUES (:seq, :linkSeq, :now, :kind, :address, :browser)`,
)

export const usesOf = sql<{ linkSeq: number; rows: number }, UseRow>(
  `SELECT at AS atMs, kind, address, browser FROM access_link_uses WHERE link_seq = :linkSeq
   ORDER BY seq DESC LIMIT :rows`,
)

export const pruneUses = sql<{ linkSeq: number; kept: number }>(
  `DELETE FROM access_link_uses WHERE link_seq = :linkSeq AND seq <= (
     SELECT seq FROM access_link_uses WHERE link_seq = :linkSeq ORDER BY seq DESC LIMIT 1 OFFSET :kept)`,
)
