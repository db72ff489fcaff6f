import type { Network } from '../../../contract/shapes.ts'
import type { Creator } from '../../../kernel/access.ts'
import type { AccountId } from '../../../kernel/ids.ts'
import { sql } from '../../../kernel/sql.ts'

export interface SessionRow {
  /** Id of a location or a company. */
  readonly resourceId: string
  readonly accountId: AccountId
  readonly side: Network
  /** `Private`: a token created by a person, which cannot be renewed. */
  readonly userType: 'Location' | 'Company' | 'Private'
  readonly companyId: string | null
  /** Sealed JSON. */
  readonly tokensEnc: Uint8Array
  readonly expiresAtMs: number | null
  readonly version: number
}

const COLUMNS = `resource_id AS resourceId, account_id AS accountId, side, user_type AS userType, company_id AS companyId,
  tokens_enc AS tokensEnc, expires_at AS expiresAtMs, version`

export const sessionOf = sql<{ resourceId: string }, SessionRow>(
  `SELECT ${COLUMNS} FROM crm_sessions WHERE resource_id = :resourceId`,
)
export const putSession = sql<Omit<SessionRow, 'version'>>(
  `INSERT INTO crm_sessions (resource_id, account_id, side, user_type, company_id, tokens_enc, expires_at, version)
   VALUES (:resourceId, :accountId, :side, :userType, :companyId, :tokensEnc, :expiresAtMs, 1)
   ON CONFLICT (resource_id) DO UPDATE SET account_id = excluded.account_id, side = excluded.side,
     user_type = excluded.user_type, company_id = excluded.company_id, tokens_enc = excluded.tokens_enc,
     expires_at = excluded.expires_at, version = crm_sessions.version + 1`,
)
export const removeSession = sql<{ resourceId: string }>('DELETE FROM crm_sessions WHERE resource_id = :resourceId')
export const removeSessionsOfCompany = sql<{ companyId: string }>(
  'DELETE FROM crm_sessions WHERE company_id = :companyId',
)

export interface StateRow {
  readonly accountId: AccountId
  readonly instanceId: string
  readonly side: Network
  readonly locationId: string | null
  readonly expiresAtMs: number
  readonly createdBy: Creator | null
}

export const insertState = sql<StateRow & { hash: string }>(
  `INSERT INTO crm_states (hash, account_id, instance_id, side, location_id, expires_at, created_by)
   VALUES (:hash, :accountId, :instanceId, :side, :locationId, :expiresAtMs, :createdBy)`,
)
/** A state can be used once, even if connecting fails. */
export const takeState = sql<{ hash: string }, StateRow>(
  `DELETE FROM crm_states WHERE hash = :hash
   RETURNING account_id AS accountId, instance_id AS instanceId, side, location_id AS locationId,
     expires_at AS expiresAtMs, created_by AS createdBy`,
)
export const removeStatesOf = sql<{ instanceId: string }>('DELETE FROM crm_states WHERE instance_id = :instanceId')
/** Deletes unfinished consents of a creator. */
export const removeStatesCreatedBy = sql<{ creator: Creator }>('DELETE FROM crm_states WHERE created_by = :creator')
export const pruneStates = sql<{ now: number }>('DELETE FROM crm_states WHERE expires_at <= :now')
