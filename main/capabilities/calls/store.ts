import { sql } from '../../kernel/sql.ts'

type OfInstance = { instanceId: string }

export interface SettingsRow {
  readonly reject: 0 | 1
  readonly message: string | null
}

export const settingsOf = sql<OfInstance, SettingsRow>(
  'SELECT reject, message FROM instance_call_settings WHERE instance_id = :instanceId',
)

export const saveSettings = sql<OfInstance & SettingsRow & { now: number }>(
  `INSERT INTO instance_call_settings (instance_id, reject, message, updated_at)
   VALUES (:instanceId, :reject, :message, :now)
   ON CONFLICT (instance_id) DO UPDATE SET reject = excluded.reject, message = excluded.message,
     updated_at = excluded.updated_at`,
)

export const removeSettings = sql<OfInstance>('DELETE FROM instance_call_settings WHERE instance_id = :instanceId')
