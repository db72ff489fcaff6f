import type { ProxyType } from '../../outbound/proxy.ts'
import { sql } from '../../kernel/sql.ts'

type OfInstance = { instanceId: string }

export interface LineSettingsRow {
  readonly perMinute: number | null
  readonly burst: number | null
  readonly chatPerMinute: number | null
  readonly chatBurst: number | null
  readonly spacingMs: number | null
  readonly online: 0 | 1
  readonly proxyType: ProxyType | null
  readonly proxyHost: string | null
  readonly proxyPort: number | null
  /** User name and password as JSON, sealed. */
  readonly proxySealed: Uint8Array | null
}

export const lineSettingsOf = sql<OfInstance, LineSettingsRow>(
  `SELECT per_minute AS perMinute, burst, chat_per_minute AS chatPerMinute, chat_burst AS chatBurst,
     spacing_ms AS spacingMs, online, proxy_type AS proxyType, proxy_host AS proxyHost, proxy_port AS proxyPort,
     proxy_sealed AS proxySealed
   FROM instance_line_settings WHERE instance_id = :instanceId`,
)

export const saveLineSettings = sql<OfInstance & LineSettingsRow & { now: number }>(
  `INSERT INTO instance_line_settings (instance_id, per_minute, burst, chat_per_minute, chat_burst, spacing_ms, online,
     proxy_type, proxy_host, proxy_port, proxy_sealed, updated_at)
   VALUES (:instanceId, :perMinute, :burst, :chatPerMinute, :chatBurst, :spacingMs, :online, :proxyType, :proxyHost,
     :proxyPort, :proxySealed, :now)
   ON CONFLICT (instance_id) DO UPDATE SET per_minute = excluded.per_minute, burst = excluded.burst,
     chat_per_minute = excluded.chat_per_minute, chat_burst = excluded.chat_burst, spacing_ms = excluded.spacing_ms,
     online = excluded.online, proxy_type = excluded.proxy_type, proxy_host = excluded.proxy_host,
     proxy_port = excluded.proxy_port, proxy_sealed = excluded.proxy_sealed, updated_at = excluded.updated_at`,
)

export const removeLineSettings = sql<OfInstance>('DELETE FROM instance_line_settings WHERE instance_id = :instanceId')
