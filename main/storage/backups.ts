import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { HOME_FACTS } from '../kernel/meta.ts'

/**
 * Whether a backup can replace the database.
 * - `usable`: it belongs to this home, and this build can read it. Its integrity is checked before use.
 * - `newer`: a later Switchboard wrote it.
 * - `foreign`: it belongs to another home, whose secrets need another key.
 * - `unreadable`: it is not a database.
 */
export type BackupState = 'usable' | 'newer' | 'foreign' | 'unreadable'

export interface Backup {
  /** File name in the folder of backups. */
  readonly name: string
  readonly madeAtMs: number
  /** Why it was made: `manual`, `hourly`, `before-restore`, `before-schema-12`. */
  readonly reason: string
  readonly bytes: number
  readonly state: BackupState
}

const NAME = /^switchboard-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z-([a-z0-9-]+)\.db$/

/** The parts of a backup's file name; undefined for other files. */
export function parseBackupName(name: string): { madeAtMs: number; reason: string } | undefined {
  const [, year, month, day, hour, minute, second, reason] = NAME.exec(name) ?? []
  if (reason === undefined) return undefined
  return { madeAtMs: Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`), reason }
}

/** Paths of backups in the folder with this reason. */
export function copiesMadeFor(folder: string, reason: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => parseBackupName(name)?.reason === reason)
    .map((name) => join(folder, name))
}

export const backupsFolderOf = (database: string): string => join(dirname(database), 'backups')

/** Names contain whole seconds, and a second backup in the same second gets the next one. */
const CLOCK_SLACK_MS = 60_000

/** Whether a backup has a future date: a clock was wrong when it was made, so it may be older than any other. */
export const isFutureDated = (madeAtMs: number, nowMs: number): boolean => madeAtMs > nowMs + CLOCK_SLACK_MS

/** Newest first; backups with a future date come last. */
export function newestFirst(nowMs: number) {
  return (a: Pick<Backup, 'name' | 'madeAtMs'>, b: Pick<Backup, 'name' | 'madeAtMs'>): number =>
    Number(isFutureDated(a.madeAtMs, nowMs)) - Number(isFutureDated(b.madeAtMs, nowMs)) ||
    b.madeAtMs - a.madeAtMs ||
    b.name.localeCompare(a.name)
}

/** The backups of a database in its folder, newest first. */
export function listBackups(database: string, newestSchema: number, nowMs: number): Backup[] {
  const folder = backupsFolderOf(database)
  if (!existsSync(folder)) return []
  const home = identityOf(database)
  return readdirSync(folder)
    .flatMap((name) => {
      const parts = parseBackupName(name)
      if (parts === undefined) return []
      const file = join(folder, name)
      return [{ name, ...parts, bytes: statSync(file).size, state: stateOf(file, home, newestSchema) }]
    })
    .toSorted(newestFirst(nowMs))
}

interface Identity {
  readonly schema: number
  /** The home, vault and key it belongs to, as far as they existed. */
  readonly facts: ReadonlyMap<string, string>
}

function stateOf(file: string, home: Identity | undefined, newestSchema: number): BackupState {
  const copy = identityOf(file)
  if (copy === undefined) return 'unreadable'
  if (copy.schema > newestSchema) return 'newer'
  // If the database beside them cannot be read, backups count as its own.
  return home === undefined || isOfOneHome(copy, home) ? 'usable' : 'foreign'
}

/** A backup from before the vault was first opened lacks some facts, and contains nothing that needs them. */
function isOfOneHome(copy: Identity, home: Identity): boolean {
  return [...copy.facts].every(([name, value]) => (home.facts.get(name) ?? value) === value)
}

function identityOf(file: string): Identity | undefined {
  let connection: Database.Database | undefined
  try {
    connection = new Database(file, { readonly: true, fileMustExist: true })
    const names = Object.values(HOME_FACTS)
    const facts = connection
      .prepare(`SELECT name, value FROM meta WHERE name IN (${names.map(() => '?').join(', ')})`)
      .raw()
      .all(...names) as [string, string][]
    return { schema: Number(connection.pragma('user_version', { simple: true })), facts: new Map(facts) }
  } catch {
    return undefined
  } finally {
    connection?.close()
  }
}
