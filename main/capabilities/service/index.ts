import type { EngineAbilities } from '../../contract/abilities.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Principal } from '../../kernel/access.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { createBackups, type BackupDeps, type Backups } from './backups.ts'
import type { ServiceRecord } from './contract/overview.ts'
import { collectDiagnostics, type DiagnosticsDeps } from './diagnostics.ts'
import { createMetrics, type Metrics, type StorageGauges } from './metrics.ts'
import type { SettingsEditor } from './settings.ts'
import type { Tallies } from './tallies.ts'
import { createAssistants, type Assistants } from './assistants.ts'
import { createToolCalls, type ToolCalls, type ToolCallsDeps } from './tool-calls.ts'

export type { BridgeProgram } from './contract/overview.ts'
export { createBackups } from './backups.ts'
export type { Platform } from './diagnostics.ts'
export type { StorageGauges } from './metrics.ts'
export type { SettingsEditor } from './settings.ts'
export type { ToolCall } from './tool-calls.ts'

/** The part of the account room that the console needs. */
interface ConsoleAccount {
  isPasswordSet(accountId: AccountId): Promise<boolean>
  setPassword(person: Pick<Principal, 'accountId' | 'role' | 'sessionId'>, password: string | null): Promise<void>
  isFirstRun(accountId: AccountId): Promise<boolean>
}

export interface ServiceRoomDeps
  extends ToolCallsDeps, BackupDeps, Omit<DiagnosticsDeps, 'settings' | 'backups' | 'clock' | 'facts'> {
  readonly tallies: Tallies
  /** The current state of the service, without the part that this room adds. */
  readonly facts: () => Omit<ServiceRecord, 'password_set'>
  readonly account: ConsoleAccount
  readonly settings: SettingsEditor
  readonly engines: readonly EngineAbilities[]
  /** Load of the delivery worker. */
  readonly worker: () => { readonly inFlight: number; readonly unrecorded: number; readonly lagMs: number }
  readonly gauges: () => StorageGauges
  /** Restarts the service; null where only a person can. */
  readonly restart: (() => void) | null
  /** Asks the keychain for the key of this home if the vault is sealed. */
  readonly unlock: () => void
}

/** The service itself, for the person who runs it. */
export interface ServiceRoom
  extends
    ToolCalls,
    Assistants,
    Backups,
    Pick<ServiceRoomDeps, 'tallies' | 'facts' | 'account' | 'settings' | 'engines' | 'unlock'> {
  readonly metrics: Metrics
  readonly canRestart: boolean
  /** @throws ApiError invalid_state */
  readonly restart: () => void
  readonly diagnostics: (counts: object) => ReturnType<typeof collectDiagnostics>
}

export function createServiceRoom(deps: ServiceRoomDeps): ServiceRoom {
  const { tallies, facts, account, settings, engines, worker, restart, unlock } = deps
  const backups = createBackups(deps)
  return {
    ...createToolCalls(deps),
    ...createAssistants(deps),
    ...backups,
    ...{ tallies, facts, account, settings, engines, unlock },
    metrics: createMetrics({ tallies, facts, worker, storage: deps.gauges, now: deps.clock.now }),
    canRestart: restart !== null,
    restart() {
      if (restart !== null) return restart()
      throw new ApiError(
        'invalid_state',
        'Switchboard cannot restart itself here. Quit it and start it again.',
      ).because('cannot_restart')
    },
    diagnostics: (counts) =>
      collectDiagnostics({ ...deps, settings: settings.list, backups: backups.listBackups }, counts),
  }
}
