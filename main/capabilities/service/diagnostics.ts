import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import { redact } from '../../kernel/redact.ts'
import type { LogLine } from '../../kernel/recent-log.ts'
import type { ServiceRecord } from './contract/overview.ts'
import type { SettingRecord } from './contract/settings.ts'

/** The software the service runs on. */
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
  /** Callback content from Meta that Switchboard ignores, counted by name. */
  readonly notedCallbacks: () => Readonly<Record<string, number>>
  readonly logLines: () => readonly LogLine[]
  readonly backups: () => readonly { readonly madeAtMs: number; readonly state: string }[]
  /** Schema of the database and the result of its last check. */
  readonly storage: () => {
    readonly schema: number
    readonly integrity: 'ok' | 'damaged'
    /** Time of the last complete check; null: none since the start. */
    readonly lookedThroughAtMs: number | null
  }
  /** Folders whose names may identify the owner of this computer. */
  readonly folders: readonly string[]
}

/** Settings whose values may identify a place or a person. */
const PRIVATE_SETTINGS: ReadonlySet<string> = new Set([
  ...[
    'home',
    'host',
    'allowed_hosts',
    'trusted_proxies',
    'public_base_url',
    'egress.trusted_ranges',
    'vault_passphrase',
  ],
])

/**
 * For support: versions, settings, counts and the latest log lines. Only the fields listed here are included, and the
 * log lines are redacted once more.
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
    counts: { ...counts, noted_callbacks: deps.notedCallbacks() },
    log: deps.logLines().map(({ at, ...line }) => ({ at: isoTime(at), ...(redact(line, deps.folders) as object) })),
  }
}
