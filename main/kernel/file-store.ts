import type { AccountId } from './ids.ts'
import { sql } from './sql.ts'

/** A file whose bytes are complete and durable. */
export interface StoredFile {
  /** `fil_…` */
  readonly id: string
  readonly accountId: AccountId
  /** Declared by the room that owns it, such as `campaigns.import`. */
  readonly kind: string
  readonly name: string | null
  readonly mimeType: string
  readonly size: number
  /** SHA-256, lowercase hex. */
  readonly hash: string
  readonly createdAtMs: number
  /** null: kept until it is removed. */
  readonly expiresAtMs: number | null
}

const COLUMNS = `id, account_id AS accountId, kind, name, mime_type AS mimeType, size, hash, created_at AS createdAtMs,
  expires_at AS expiresAtMs`

export const insertFile = sql<StoredFile>(
  `INSERT INTO files (id, account_id, kind, name, mime_type, size, hash, created_at, expires_at)
   VALUES (:id, :accountId, :kind, :name, :mimeType, :size, :hash, :createdAtMs, :expiresAtMs)`,
)
export const fileOf = sql<{ accountId: AccountId; kind: string; id: string; now: number }, StoredFile>(
  `SELECT ${COLUMNS} FROM files WHERE id = :id AND account_id = :accountId AND kind = :kind
   AND (expires_at IS NULL OR expires_at > :now)`,
)
export const fileById = sql<{ id: string }, { id: string }>('SELECT id FROM files WHERE id = :id')
/** Files that are kept, in the order of their ids. */
export const keptFiles = sql<
  { afterId: string; now: number; rows: number },
  Pick<StoredFile, 'id' | 'kind' | 'name' | 'size'>
>(
  `SELECT id, kind, name, size FROM files WHERE id > :afterId AND (expires_at IS NULL OR expires_at > :now)
   ORDER BY id LIMIT :rows`,
)
/**
 * With those whose bytes are still to be deleted. Small files count as more, so that the sum has a bounded number of
 * rows.
 */
export const bytesOfKind = sql<{ accountId: AccountId; kind: string; atLeast: number }, { bytes: number }>(
  'SELECT coalesce(sum(CASE WHEN size < :atLeast THEN :atLeast ELSE size END), 0) AS bytes FROM files WHERE account_id = :accountId AND kind = :kind',
)
export const markRemoved = sql<{ accountId: AccountId; kind: string; id: string }>(
  'UPDATE files SET expires_at = 0 WHERE id = :id AND account_id = :accountId AND kind = :kind',
)
export const rehomeFile = sql<{ accountId: AccountId; kind: string; id: string; to: AccountId }>(
  'UPDATE files SET account_id = :to WHERE id = :id AND account_id = :accountId AND kind = :kind',
)
/** Never shortens the time that a file is kept. */
export const extendFile = sql<{ accountId: AccountId; kind: string; id: string; until: number }>(
  `UPDATE files SET expires_at = :until
   WHERE id = :id AND account_id = :accountId AND kind = :kind AND expires_at > 0 AND expires_at < :until`,
)
export const expiredFiles = sql<{ now: number; limit: number }, { id: string }>(
  'SELECT id FROM files WHERE expires_at <= :now ORDER BY expires_at, id LIMIT :limit',
)
export const deleteFile = sql<{ id: string }>('DELETE FROM files WHERE id = :id')
