import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

/** The agency of an account at the simulated GoHighLevel. */
export interface Company {
  readonly accountId: AccountId
  readonly companyId: string
  /** Part of the URL of its pages; knowing it gives access to them. */
  readonly pageToken: string
}

const COMPANY = 'account_id AS accountId, company_id AS companyId, page_token AS pageToken'

export const companyOf = sql<{ accountId: string }, Company>(
  `SELECT ${COMPANY} FROM sandbox_ghl_companies WHERE account_id = :accountId`,
)
export const companyByPage = sql<{ pageToken: string }, Company>(
  `SELECT ${COMPANY} FROM sandbox_ghl_companies WHERE page_token = :pageToken`,
)
export const insertCompany = sql<{ accountId: string; companyId: string; pageToken: string }>(
  `INSERT INTO sandbox_ghl_companies (account_id, company_id, page_token) VALUES (:accountId, :companyId, :pageToken)
   ON CONFLICT DO NOTHING`,
)
/** Changes the URL of its pages. */
export const renewPages = sql<{ accountId: string; pageToken: string }>(
  'UPDATE sandbox_ghl_companies SET page_token = :pageToken WHERE account_id = :accountId',
)

export interface Location {
  readonly id: string
  readonly accountId: AccountId
  readonly name: string
  readonly privateToken: string
}

const LOCATION = 'id, account_id AS accountId, name, private_token AS privateToken'

export const locationsOf = sql<{ accountId: string }, Location>(
  `SELECT ${LOCATION} FROM sandbox_ghl_locations WHERE account_id = :accountId ORDER BY position`,
)
export const locationById = sql<{ id: string }, Location>(
  `SELECT ${LOCATION} FROM sandbox_ghl_locations WHERE id = :id`,
)
export const locationByToken = sql<{ token: string }, Location>(
  `SELECT ${LOCATION} FROM sandbox_ghl_locations WHERE private_token = :token`,
)
export const insertLocation = sql<{
  id: string
  accountId: string
  position: number
  name: string
  privateToken: string
}>(
  `INSERT INTO sandbox_ghl_locations (id, account_id, position, name, private_token)
   VALUES (:id, :accountId, :position, :name, :privateToken)`,
)

// The app: its key and its grants.

export const signingKey = sql<Record<never, never>, { pkcs8: Uint8Array }>(
  'SELECT pkcs8 FROM sandbox_ghl_keys WHERE id = 1',
)
export const insertSigningKey = sql<{ pkcs8: Uint8Array }>(
  'INSERT INTO sandbox_ghl_keys (id, pkcs8) VALUES (1, :pkcs8) ON CONFLICT DO NOTHING',
)

export interface Grant {
  readonly accountId: AccountId
  /** null: the whole company. */
  readonly locationId: string | null
}

export const insertCode = sql<{ code: string; expiresAtMs: number } & Grant>(
  `INSERT INTO sandbox_ghl_codes (code, account_id, location_id, expires_at)
   VALUES (:code, :accountId, :locationId, :expiresAtMs)`,
)
export const takeCode = sql<{ code: string }, Grant & { expiresAtMs: number }>(
  `DELETE FROM sandbox_ghl_codes WHERE code = :code
   RETURNING account_id AS accountId, location_id AS locationId, expires_at AS expiresAtMs`,
)
export const pruneCodes = sql<{ now: number }>('DELETE FROM sandbox_ghl_codes WHERE expires_at <= :now')

export const insertToken = sql<{ refresh: string; access: string; expiresAtMs: number } & Grant>(
  `INSERT INTO sandbox_ghl_tokens (refresh, access, account_id, location_id, expires_at)
   VALUES (:refresh, :access, :accountId, :locationId, :expiresAtMs)`,
)
export const grantOfRefresh = sql<{ refresh: string }, Grant>(
  'SELECT account_id AS accountId, location_id AS locationId FROM sandbox_ghl_tokens WHERE refresh = :refresh',
)
/** A refresh token works once. */
export const takeRefresh = sql<{ refresh: string }, Grant>(
  `DELETE FROM sandbox_ghl_tokens WHERE refresh = :refresh RETURNING account_id AS accountId, location_id AS locationId`,
)
export const tokenByAccess = sql<{ access: string }, Grant & { expiresAtMs: number }>(
  `SELECT account_id AS accountId, location_id AS locationId, expires_at AS expiresAtMs
   FROM sandbox_ghl_tokens WHERE access = :access`,
)
export const revokeTokens = sql<{ accountId: string; locationId: string | null }>(
  `DELETE FROM sandbox_ghl_tokens
   WHERE account_id = :accountId AND (location_id = :locationId OR :locationId IS NULL)`,
)
// Requests that the receiver has not accepted yet.

export interface Delivery {
  readonly seq: number
  readonly accountId: AccountId
  readonly locationId: string
  readonly path: 'outbound' | 'app'
  readonly body: string
  readonly attempts: number
}

export const insertDelivery = sql<Delivery>(
  `INSERT INTO sandbox_ghl_deliveries (seq, account_id, location_id, path, body, attempts)
   VALUES (:seq, :accountId, :locationId, :path, :body, :attempts)`,
)
export const nextDeliveries = sql<{ locationId: string; limit: number }, Delivery>(
  `SELECT seq, account_id AS accountId, location_id AS locationId, path, body, attempts
   FROM sandbox_ghl_deliveries WHERE location_id = :locationId ORDER BY seq LIMIT :limit`,
)
export const locationsWithDeliveries = sql<Record<never, never>, { locationId: string }>(
  'SELECT DISTINCT location_id AS locationId FROM sandbox_ghl_deliveries ORDER BY location_id',
)
export const countAttempt = sql<{ seq: number }>(
  'UPDATE sandbox_ghl_deliveries SET attempts = attempts + 1 WHERE seq = :seq',
)
export const removeDelivery = sql<{ seq: number }>('DELETE FROM sandbox_ghl_deliveries WHERE seq = :seq')

// Files that were uploaded to a conversation.

export interface StoredUpload {
  readonly name: string
  readonly mimeType: string
  readonly bytes: Uint8Array
}

export const insertUpload = sql<StoredUpload & { id: string; accountId: string; now: number }>(
  `INSERT INTO sandbox_ghl_files (id, account_id, name, mime_type, bytes, created_at)
   VALUES (:id, :accountId, :name, :mimeType, :bytes, :now)`,
)
export const uploadById = sql<{ id: string }, StoredUpload>(
  'SELECT name, mime_type AS mimeType, bytes FROM sandbox_ghl_files WHERE id = :id',
)
export const pruneUploads = sql<{ before: number }>('DELETE FROM sandbox_ghl_files WHERE created_at < :before')
