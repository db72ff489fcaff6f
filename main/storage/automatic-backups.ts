import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock } from '../kernel/clock.ts'
import type { Chore } from '../kernel/housekeeping.ts'
import type { Log } from '../kernel/log.ts'
import { backupsFolderOf, isFutureDated, parseBackupName, newestFirst } from './backups.ts'
import { freeBytesOf, type FreeBytes } from './free-bytes.ts'
import type { Storage } from './sqlite.ts'

interface AutomaticBackupsDeps {
  readonly db: Pick<Storage, 'writeBackup' | 'bytes' | 'revision'>
  /** Path of the database. */
  readonly file: string
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly isOn: () => boolean
  /** false: nothing is removed, because the clock may be wrong. */
  readonly mayRemoveOld?: () => boolean
  /** Room on the disk of this folder, in bytes. */
  readonly freeBytes?: FreeBytes
}

const REASON = 'hourly'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A start makes no backup if the last one is younger than this. */
const MIN_AGE_MS = 50 * 60_000
const KEPT_HOURS = 24
const KEPT_DAYS = 7
/** Free space that a backup must leave, because the service needs space more than old backups. */
const MIN_FREE_BYTES = 1_000_000_000

/**
 * An hourly backup, checked after it is made, if something changed. The last 24 are kept, and the newest of each of
 * the last seven days. Backups that a person made are never removed.
 */
export function automaticBackups(deps: AutomaticBackupsDeps): Chore {
  const { db, file, clock, log, isOn, mayRemoveOld = () => true, freeBytes = freeBytesOf } = deps
  let copiedRevision: number | undefined

  async function copy(): Promise<void> {
    const revision = db.revision()
    const nowMs = clock.now()
    if (!isOn() || revision === copiedRevision || nowMs - newestMs(file, nowMs) < MIN_AGE_MS) return
    const free = await freeBytes(dirname(file))
    if (free - db.bytes() < MIN_FREE_BYTES) {
      return log.warn({ event: 'storage.backup_skipped', freeBytes: free, databaseBytes: db.bytes() })
    }
    await db.writeBackup(REASON)
    copiedRevision = revision
    if (!mayRemoveOld()) return
    for (const name of backupsToPrune(namesIn(file), clock.now()))
      rmSync(join(backupsFolderOf(file), name), { force: true })
  }

  return {
    name: 'backup',
    begin: () => async () => {
      await copy()
      return false
    },
  }
}

/** The hourly backups that can be removed. @param names of all files in the folder. */
export function backupsToPrune(names: readonly string[], nowMs: number): string[] {
  const hourly = names
    .flatMap((name) => {
      const parts = parseBackupName(name)
      return parts?.reason === REASON ? [{ name, madeAtMs: parts.madeAtMs }] : []
    })
    .toSorted(newestFirst(nowMs))
  const older = hourly.slice(KEPT_HOURS)
  const newestOfDay = new Map<number, string>()
  for (const { name, madeAtMs } of hourly) {
    const day = Math.floor(madeAtMs / DAY_MS)
    if (!newestOfDay.has(day)) newestOfDay.set(day, name)
  }
  const today = Math.floor(nowMs / DAY_MS)
  return older
    .filter(({ name, madeAtMs }) => {
      const day = Math.floor(madeAtMs / DAY_MS)
      return newestOfDay.get(day) !== name || today - day > KEPT_DAYS
    })
    .map(({ name }) => name)
}

function namesIn(file: string): string[] {
  const folder = backupsFolderOf(file)
  return existsSync(folder) ? readdirSync(folder) : []
}

/** Ignores future dates, because a backup dated ahead would prevent new ones until then. */
function newestMs(file: string, nowMs: number): number {
  const times = namesIn(file).flatMap((name) => {
    const parts = parseBackupName(name)
    return parts?.reason === REASON && !isFutureDated(parts.madeAtMs, nowMs) ? [parts.madeAtMs] : []
  })
  return Math.max(-Infinity, ...times)
}
