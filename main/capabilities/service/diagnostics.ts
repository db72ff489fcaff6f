import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import { redact } from '../../kernel/redact.ts'
import type { LogLine } from '../../kernel/recent-log.ts'
import type { ServiceRecord, SettingRecord } from './contract.ts'

/** What runs below the service. */
export interface Platform {
  readonly node: string
  readonly sqlite: string
  readonly system: string
  readonly memory_bytes: number
}

export interface DiagnosticsDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly facts: () => Omit<ServiceRecord, 'password_set'>
  readonly settings: () => readonly SettingRecord[]
  readonly platform: () => Platform
  readonly logLines: () => readonly LogLine[]
  readonly backups: () => readonly { readonly madeAtMs: number; readonly state: string }[]
  /** Schema of the database, and what was found when it was last looked at. */
  readonly storage: () => {
    readonly schema: number
    readonly integrity: 'ok' | 'damaged'
    /** All of it; null: not since the start. */
    readonly lookedThroughAtMs: number | null
  }
  /** Folders whose names say whose computer this is. */
  readonly folders: readonly string[]
}

/** Settings whose value names a place or a person. */
const PRIVATE_SETTINGS: ReadonlySet<string> = new Set([
  ...['home', 'host', 'allowed_hosts', 'trusted_proxies', 'public_base_url', 'egress.trusted_ranges', 'vault_passphrase'],
])

/**
 * For whoever helps: versions, settings, counts, the last lines of the log. Only what is named here goes in, and the
 * lines are looked through once more for what no line should hold.
 */
export function collectDiagnostics(deps: DiagnosticsDeps, counts: object) {
  const { version, network, vault, database_bytes, started_at, warnings, limits } = deps.facts()
  const backups = deps.backups()
  const { schema, integrity, lookedThroughAtMs } = deps.storage()
  return {
    made_at: isoTime(deps.clock.now()),
    version,
    platform: deps.platform(),
    service: {
      network,
      started_at,
      vault: { kind: vault.kind, state: vault.state },
      warnings: warnings.length,
      limits,
    },
    storage: {
      ...{ schema, integrity, looked_through_at: isoTimeOrNull(lookedThroughAtMs) },
      database_bytes,
      backups: backups.length,
      newest_backup_at: backups[0] === undefined ? null : isoTime(backups[0].madeAtMs),
    },
    settings: deps.settings().map(({ name, value, place, next }) => ({
      name,
      value: PRIVATE_SETTINGS.has(name) ? (place === 'default' ? 'default' : 'set') : value,
      place,
      ...(next !== null && { next: next.value }),
    })),
    counts,
    log: deps.logLines().map(({ at, ...line }) => ({ at: isoTime(at), ...(redact(line, deps.folders) as object) })),
  }
}
