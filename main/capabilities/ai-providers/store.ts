import type { KeyedProvider } from '../../contract/ai.ts'
import { sql } from '../../kernel/sql.ts'

export interface KeyRow {
  readonly instanceId: string
  readonly provider: KeyedProvider
  /** Sealed. null: the server needs none. */
  readonly key: Uint8Array | null
  readonly baseUrl: string | null
  /** The operator chose the address, so it may be on this computer or in a trusted range. */
  readonly byOperator: 0 | 1
  readonly verified: 0 | 1
  readonly updatedAtMs: number
}

const ROW = `instance_id AS instanceId, provider, key, base_url AS baseUrl, is_local AS byOperator, verified,
  updated_at AS updatedAtMs`

export const keysOf = sql<{ instanceId: string }, KeyRow>(
  `SELECT ${ROW} FROM ai_provider_keys WHERE instance_id = :instanceId`,
)
export const keyOf = sql<{ instanceId: string; provider: string }, KeyRow>(
  `SELECT ${ROW} FROM ai_provider_keys WHERE instance_id = :instanceId AND provider = :provider`,
)
export const saveKey = sql<KeyRow & { accountId: string }>(
  `INSERT INTO ai_provider_keys (instance_id, provider, account_id, key, base_url, is_local, verified, updated_at)
   VALUES (:instanceId, :provider, :accountId, :key, :baseUrl, :byOperator, :verified, :updatedAtMs)
   ON CONFLICT (instance_id, provider) DO UPDATE SET key = excluded.key, base_url = excluded.base_url,
     is_local = excluded.is_local, verified = excluded.verified, updated_at = excluded.updated_at`,
)
export const removeKey = sql<{ instanceId: string; provider: string }>(
  'DELETE FROM ai_provider_keys WHERE instance_id = :instanceId AND provider = :provider',
)
export const removeKeysOf = sql<{ instanceId: string }>('DELETE FROM ai_provider_keys WHERE instance_id = :instanceId')
