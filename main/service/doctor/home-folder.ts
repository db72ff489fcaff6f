import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { isoTime } from '../../contract/request.ts'
import { formatBytes } from '../../kernel/format-bytes.ts'
import { backupsFolderOf, listBackups } from '../../storage/backups.ts'
import type { FreeBytes } from '../../storage/free-bytes.ts'
import { isIntact } from '../../storage/integrity.ts'
import { MIGRATIONS } from '../../storage/migrations/index.ts'
import { findBackupLag, type BackupLag } from '../../storage/backup-lag.ts'
import { databaseIn } from '../home.ts'
import { broken, warning, ok, type Finding } from './finding.ts'

const MB = 1_000_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Two backups are at most three hours apart; after one more hour, a backup is missing. */
const OVERDUE_HOURS = 4

/** Checks the owner, access rights and size of the folder. */
export function checkHome(home: string): Finding[] {
  const open = process.platform === 'win32' ? 0 : statSync(home).mode & 0o022
  const parts = ['switchboard.db', 'switchboard.db-wal', 'backups', 'logs', 'reserve.bin', ...quarantinesIn(home)]
  const sizes = parts
    .map((name) => ({ name, bytes: bytesOf(join(home, name)) }))
    .filter(({ bytes }) => bytes > 0)
    .map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`)
  return [
    open === 0
      ? ok('home', `${home}: ${sizes.join(', ')}.`)
      : warning('home', `Other users can write to ${home}. Fix it with: chmod go-w ${home}`),
  ]
}

const quarantinesIn = (home: string) => readdirSync(home).filter((name) => name.startsWith('quarantine-'))

function bytesOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return 0
  if (!found.isDirectory()) return found.size
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0)
}

export async function checkDisk(config: Config, freeBytes: FreeBytes): Promise<Finding> {
  const free = await freeBytes(config.home)
  const words = `${formatBytes(free)} free`
  if (free < config.refuseBelowMb * MB)
    return broken('disk', `Only ${words}. Below ${config.refuseBelowMb} MB, new work is refused. Free some space.`)
  if (free < config.warnBelowMb * MB)
    return warning('disk', `Only ${words}. Below ${config.refuseBelowMb} MB, new work is refused. Free some space.`)
  return ok('disk', `${words}.`)
}

/**
 * Opens and checks the newest backup, because an unchecked backup may be unusable.
 * @param startedAtMs of the running service; null: none.
 */
export function checkBackups({ home, backups }: Config, nowMs: number, startedAtMs: number | null): Finding {
  const file = databaseIn(home)
  const copies = existsSync(file) ? listBackups(file, MIGRATIONS.at(-1)?.version ?? 0, nowMs) : []
  const newest = copies.find(({ state }) => state === 'usable')
  if (newest === undefined && copies.length > 0)
    return broken('backups', `None of the ${copies.length} backups is usable. Create one with: npm run backup`)
  if (newest === undefined) return warning('backups', 'No backups yet. Create one with: npm run backup')
  const made = `The newest of ${copies.length}, ${newest.name},`
  const copy = join(backupsFolderOf(file), newest.name)
  if (!isIntact(copy))
    return broken('backups', `${made} is damaged. Check the disk, and create another with: npm run backup`)
  if (nowMs - newest.madeAtMs > DAY_MS && backups === 'off')
    return warning('backups', `${made} is from ${isoTime(newest.madeAtMs)}, and automatic backups are off.`)
  const overdueSinceMs = backups === 'off' ? null : overdueSince(backupLagOf(file, copy), nowMs, startedAtMs)
  if (overdueSinceMs !== null)
    return warning(
      'backups',
      `${made} is from ${isoTime(newest.madeAtMs)}, and changes since ${isoTime(overdueSinceMs)} are not backed up. Check the log for housekeeping.failed and storage.backup_skipped, and create a backup with: npm run backup`,
    )
  return ok('backups', `${made} is from ${isoTime(newest.madeAtMs)}, ${formatBytes(newest.bytes)}, and intact.`)
}

/** An unreadable database is reported by its own check. */
function backupLagOf(file: string, copy: string): BackupLag | null {
  try {
    return findBackupLag(file, copy)
  } catch {
    return null
  }
}

/**
 * An old backup alone is not a fault: nothing is copied while nothing changes, no service runs or the machine sleeps.
 * A backup is due for each hour with changes. A service that has just started gets time to make one.
 */
function overdueSince(uncopied: BackupLag | null, nowMs: number, startedAtMs: number | null): number | null {
  if (uncopied === null || uncopied.hours < OVERDUE_HOURS) return null
  return startedAtMs === null || nowMs - startedAtMs > HOUR_MS ? uncopied.fromMs : null
}
