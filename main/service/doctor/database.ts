import { checkInvariants } from '../../capabilities/webhooks/index.ts'
import { isoTime } from '../../contract/request.ts'
import type { Db } from '../../kernel/db.ts'
import type { BootId } from '../../kernel/ids.ts'
import { formatBytes } from '../../kernel/format-bytes.ts'
import { sql } from '../../kernel/sql.ts'
import { backupsFolderOf } from '../../storage/backups.ts'
import { cannotOpenMessage, isCorruption } from '../../storage/integrity.ts'
import { MIGRATIONS } from '../../storage/migrations/index.ts'
import { markDamaged } from '../../storage/damage-marker.ts'
import { findIntactBackup } from '../../storage/quarantine.ts'
import { openReadOnly, type ReadOnly } from '../../storage/read-only.ts'
import { messageOf } from '../home.ts'
import { broken, warning, ok, type Finding } from './finding.ts'

type Reading = Pick<Db, 'read' | 'readOne' | 'boot'>

/** If the clock is this far behind the latest write, it was set back. */
const CLOCK_SLACK_MS = 60_000

const newestEvent = sql<Record<never, never>, { createdAtMs: number | null }>(
  'SELECT created_at AS createdAtMs FROM events ORDER BY seq DESC LIMIT 1',
)

const anyLease = sql<Record<never, never>, { lease: BootId }>(
  "SELECT lease FROM deliveries WHERE lease > '' ORDER BY lease LIMIT 1",
)

interface Circumstances {
  /** Boot of the running service; null: none is running, and unfinished work of the last one is normal. */
  readonly boot: BootId | null
  readonly nowMs: number
  /** The disk is too full to open a database. */
  readonly isTooFull: boolean
}

/** Checks the database on its own connection. */
export async function checkDatabase(
  file: string,
  { boot, nowMs, isTooFull }: Circumstances,
  act: (db: Reading) => Promise<Finding[]>,
): Promise<Finding[]> {
  let opened: ReadOnly
  try {
    opened = openReadOnly(file)
  } catch (error) {
    return [openFailure(file, error, nowMs, isTooFull)]
  }
  try {
    const damage = opened.damage()
    if (damage.length > 0) {
      markIfPossible(file, damage)
      return [damaged(file, damage.join('; '), nowMs)]
    }
    const orphaned = opened.orphaned()
    if (orphaned.length > 0) return [incomplete(file, orphaned)]
    const db = opened.db(boot ?? (await lastBootOf(opened)))
    return [schemaOf(opened), await invariantsOf(db), await clockOf(db, nowMs), ...(await act(db))]
  } catch (error) {
    return [openFailure(file, error, nowMs, isTooFull)]
  } finally {
    opened.close()
  }
}

async function lastBootOf(opened: ReadOnly): Promise<BootId> {
  const none = 'boot_none' as BootId
  return (await opened.db(none).readOne(anyLease, {}))?.lease ?? none
}

/** Fails in a read-only folder; the report is correct anyway. */
function markIfPossible(file: string, damage: readonly string[]): void {
  try {
    markDamaged(file, damage)
  } catch {
    return
  }
}

function openFailure(file: string, error: unknown, nowMs: number, isTooFull: boolean): Finding {
  if (isCorruption(error)) return damaged(file, error.message, nowMs)
  if (isTooFull) return warning('database', `${file} was not checked, because the disk is full. Free some space first.`)
  return broken('database', cannotOpenMessage(file, error instanceof Error ? error : new Error(messageOf(error))))
}

const damaged = (file: string, what: string, nowMs: number) =>
  broken('database', `${file} is damaged (${what}). ${nextStartOf(file, nowMs)}`)

/** The file is missing although backups of it exist. */
export const missing = (file: string, nowMs: number): Finding =>
  broken('database', `${file} is missing, but backups exist. ${nextStartOf(file, nowMs)}`)

/** Only the file of facts shows that a database existed. */
export const missingWithoutBackup = (file: string): Finding =>
  broken(
    'database',
    `${file} is missing, and there is no backup. If you have a copy, put it back before you start Switchboard. ` +
      'Otherwise the next start creates a new database, with accounts, opt-outs and payments only.',
  )

function nextStartOf(file: string, nowMs: number): string {
  const { copy } = findIntactBackup({ file, migrations: MIGRATIONS }, nowMs)
  return copy === undefined
    ? `No intact backup is in ${backupsFolderOf(file)}, so Switchboard can't start. Copy one there, before you quit if it is still running.`
    : `Restart Switchboard: it will restore the backup ${copy.name} and report what is missing.`
}

const incomplete = (file: string, tables: readonly string[]) =>
  broken(
    'database',
    `${file} is not damaged, but rows in ${tables.join(', ')} refer to missing rows. Please report this, and restore an earlier backup with: npm run restore`,
  )

function schemaOf({ schema, bytes }: ReadOnly): Finding {
  const newest = MIGRATIONS.at(-1)?.version ?? 0
  if (schema > newest) {
    return broken(
      'database',
      `Written by a newer Switchboard (schema ${schema}, this version supports ${newest}). Install the newer version.`,
    )
  }
  const older = schema < newest ? ` The next start upgrades it to schema ${newest}.` : ''
  return ok('database', `Intact: ${formatBytes(bytes)}, schema ${schema}, every page and reference checked.${older}`)
}

async function invariantsOf(db: Reading): Promise<Finding> {
  const violations = await checkInvariants(db)
  if (violations.length === 0) return ok('deliveries', 'Attempts, leases and due times are consistent.')
  return broken(
    'deliveries',
    `${violations.join('. ')}. Please report this with the output of: npm run doctor -- --json`,
  )
}

async function clockOf(db: Reading, nowMs: number): Promise<Finding> {
  const newest = (await db.readOne(newestEvent, {}))?.createdAtMs ?? null
  if (newest === null || newest <= nowMs + CLOCK_SLACK_MS)
    return ok('clock', `${isoTime(nowMs)}, not behind the newest event.`)
  return warning(
    'clock',
    `The clock says ${isoTime(nowMs)}, but the newest event is from ${isoTime(newest)}. Set the clock, or turn on automatic time.`,
  )
}
