import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { BootId } from '../../kernel/ids.ts'
import { listBackups } from '../../storage/backups.ts'
import { hasShutdownNote } from '../../storage/clean-shutdown.ts'
import { freeBytesOf } from '../../storage/free-bytes.ts'
import { listDataLosses } from '../../storage/data-loss.ts'
import { missingWithoutCopyMessage } from '../../storage/integrity.ts'
import { isMissingWithoutBackup } from '../../storage/quarantine.ts'
import { databaseIn, acquireHomeLock } from '../home.ts'
import { findHomeFault, TOO_FULL_TO_OPEN_BYTES } from '../home-faults.ts'
import type { World } from '../world.ts'
import { checkDatabase, missing, missingWithoutBackup } from './database.ts'
import { broken, warning, ok, type Finding } from './finding.ts'
import { checkFiles } from './files.ts'
import { checkBackups, checkDisk, checkHome } from './home-folder.ts'
import { checkGraphVersions } from './graph-version.ts'
import { checkLog } from './log.ts'
import { checkNetwork } from './network.ts'
import { checkProtocol } from './protocol.ts'
import { checkRunningVault, checkVault, type VaultFacts } from './vault.ts'

/** Facts reported by a running service. */
export interface ServiceFacts {
  readonly version: string
  readonly url: string
  readonly startedAt: string
  readonly boot: BootId
  readonly warnings: readonly string[]
  readonly vault: VaultFacts
}

/**
 * Checks everything that the service depends on, without changing anything except a marker for a damaged database.
 * @param running null: no service runs in this home; then none may start during the check.
 * @param isOffline makes no network requests.
 */
export async function runDoctor(
  world: World,
  running: ServiceFacts | null,
  { isOffline }: { readonly isOffline: boolean },
): Promise<Finding[]> {
  const { config, clock, freeBytes = freeBytesOf } = world
  const file = databaseIn(config.home)
  const fault = findHomeFault(config.home)
  if (fault !== null) return [broken('home', fault)]
  if (!existsSync(file)) return [noDatabase(file, clock.now())]
  const lock = running === null ? acquireHomeLock(config, 'command') : undefined
  try {
    const more = async (db: Parameters<Parameters<typeof checkDatabase>[2]>[0]) => [
      await checkFiles(config.home, db, clock.now()),
      ...(await checkProtocol(db, config.protocolVersion, clock.now())),
      ...(await checkGraphVersions(db, config, clock.now())),
      running === null ? await checkVault(world, db) : await checkRunningVault(world, db, running.vault),
    ]
    const isTooFull = (await freeBytes(config.home)) < TOO_FULL_TO_OPEN_BYTES
    return [
      ...serviceOf(running, config.home),
      ...checkHome(config.home),
      await checkDisk(config, freeBytes),
      checkLog(config),
      ...(await checkDatabase(file, { boot: running?.boot ?? null, nowMs: clock.now(), isTooFull }, more)),
      checkBackups(config, clock.now(), running === null ? null : Date.parse(running.startedAt)),
      ...(isOffline ? [] : [await checkNetwork(world)]),
    ]
  } finally {
    lock?.release()
  }
}

function noDatabase(file: string, nowMs: number): Finding {
  if (listBackups(file, Infinity, nowMs).length > 0) return missing(file, nowMs)
  if (isMissingWithoutBackup(file, nowMs)) return missingWithoutBackup(file)
  // The next start refuses to create another one.
  if (hasShutdownNote(file)) return broken('database', missingWithoutCopyMessage(file))
  return warning('home', `No database in ${dirname(file)} yet. The first start creates it.`)
}

function serviceOf(running: ServiceFacts | null, home: string): Finding[] {
  if (running === null) {
    const lost = listDataLosses(home).map((sentence) => warning('service', sentence))
    return [ok('service', 'Not running in this home folder.'), ...lost]
  }
  const { version, url, startedAt, warnings } = running
  return [
    ok('service', `Switchboard ${version} has been running at ${url} since ${startedAt}.`),
    ...warnings.map((sentence) => warning('service', sentence)),
  ]
}
