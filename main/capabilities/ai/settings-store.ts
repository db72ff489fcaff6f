import { sql } from '../../kernel/sql.ts'

type OfInstance = { instanceId: string }

export interface AiInstanceRow {
  readonly instanceId: string
  readonly accountId: string
  readonly enabled: 0 | 1
  readonly settings: string
  readonly settingsAtMs: number | null
  readonly followUp: string
  readonly followUpAtMs: number | null
}

export const aiInstance = sql<OfInstance, AiInstanceRow>(
  `SELECT instance_id AS instanceId, account_id AS accountId, enabled, settings, settings_at AS settingsAtMs,
     follow_up AS followUp, follow_up_at AS followUpAtMs
   FROM ai_instances WHERE instance_id = :instanceId`,
)
export const saveAiInstance = sql<AiInstanceRow>(
  `INSERT INTO ai_instances (instance_id, account_id, enabled, settings, settings_at, follow_up, follow_up_at)
   VALUES (:instanceId, :accountId, :enabled, :settings, :settingsAtMs, :followUp, :followUpAtMs)
   ON CONFLICT (instance_id) DO UPDATE SET enabled = excluded.enabled, settings = excluded.settings,
     settings_at = excluded.settings_at, follow_up = excluded.follow_up, follow_up_at = excluded.follow_up_at`,
)
/** The last error of the primary agent's provider; null after a successful request. */
export const setRefused = sql<OfInstance & { code: string | null; at: number | null }>(
  'UPDATE ai_instances SET refused_code = :code, refused_at = :at WHERE instance_id = :instanceId',
)
export const isRefused = sql<OfInstance, { code: string }>(
  'SELECT refused_code AS code FROM ai_instances WHERE instance_id = :instanceId AND refused_code IS NOT NULL',
)
export const removeAiInstance = sql<OfInstance>('DELETE FROM ai_instances WHERE instance_id = :instanceId')

export const accountRules = sql<{ accountId: string }, { overLinked: 0 | 1; updatedAtMs: number }>(
  `SELECT answer_over_linked_number AS overLinked, updated_at AS updatedAtMs FROM ai_account_settings
   WHERE account_id = :accountId`,
)
/** @returns a row only if it changed. */
export const saveAccountRules = sql<{ accountId: string; overLinked: 0 | 1; now: number }, { updatedAtMs: number }>(
  `INSERT INTO ai_account_settings (account_id, answer_over_linked_number, updated_at)
   VALUES (:accountId, :overLinked, :now)
   ON CONFLICT (account_id) DO UPDATE SET answer_over_linked_number = excluded.answer_over_linked_number,
     updated_at = excluded.updated_at
   WHERE ai_account_settings.answer_over_linked_number <> excluded.answer_over_linked_number
   RETURNING updated_at AS updatedAtMs`,
)
