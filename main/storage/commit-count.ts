import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { factFilesIn, readLine } from './fact-log.ts'
import type { Prepare } from './statements.ts'

/**
 * How many groups of commits wrote something. The database counts them, and each number is written beside the facts
 * once its group is committed: a database that counts fewer lacks commits, whatever its files look like.
 */
export interface CommitCount {
  /** A transaction begins. */
  begin(): void
  /** Counts the group whose transaction is open, if it changed a row: what changes nothing writes nothing. */
  count(): void
  /** The transaction was committed. @returns the number to write beside the facts; null: it was not counted. */
  keep(): number | null
}

const NAME = 'commit_count'

const write = {
  text: `INSERT INTO meta (name, value) VALUES ('${NAME}', :value) ON CONFLICT (name) DO UPDATE SET value = :value`,
}
const changes = { text: 'SELECT total_changes() AS n' }
const READ = `SELECT value FROM meta WHERE name = '${NAME}'`

export function createCommitCount(prepare: Prepare): CommitCount {
  let committed = Number((prepare({ text: READ }).one({}) as { value: string } | undefined)?.value ?? 0)
  const changed = () => (prepare(changes).one({}) as { n: number }).n
  let changedBefore = 0
  let isCounted = false
  return {
    begin() {
      isCounted = false
      changedBefore = changed()
    },
    count() {
      if (changed() === changedBefore) return
      prepare(write).run({ value: String(committed + 1) })
      isCounted = true
    },
    keep: () => (isCounted ? ++committed : null),
  }
}

/** What the files of facts say was committed last. */
export interface ConfirmedCommit {
  readonly count: number
  readonly atMs: number
}

/** @returns null: there are no facts, or they are of a version that did not count. */
export function lastConfirmedCommit(folder: string): ConfirmedCommit | null {
  return findConfirmed(folder, () => true)
}

/** When the newest of the commits that a database has was made; null: nothing says so. */
export function timeOfCommit(folder: string, count: number): number | null {
  return findConfirmed(folder, (confirmed) => confirmed.count <= count)?.atMs ?? null
}

function findConfirmed(folder: string, isWanted: (confirmed: ConfirmedCommit) => boolean): ConfirmedCommit | null {
  for (const file of factFilesIn(folder).toReversed()) {
    for (const text of readFileSync(file, 'utf8').split('\n').toReversed()) {
      // Most lines are facts, which need not be parsed.
      if (!text.includes('["commits",')) continue
      const [name, count, atMs] = readLine(text) ?? []
      if (name !== 'commits' || typeof count !== 'number' || typeof atMs !== 'number') continue
      if (isWanted({ count, atMs })) return { count, atMs }
    }
  }
  return null
}

/** @returns null: nothing can be read from it, which opening it explains. */
export function readCommitCount(database: string): number | null {
  let connection: Database.Database | undefined
  try {
    connection = new Database(database, { readonly: true, fileMustExist: true })
    // All there ever was may have been in the log.
    const isEmpty = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get() === undefined
    return isEmpty ? 0 : Number(connection.prepare(READ).pluck().get() ?? 0)
  } catch {
    return null
  } finally {
    connection?.close()
  }
}

/** A database that was made safe to continue with, although it lacks commits, counts on after them. */
export function skipMissingCommits(connection: Database.Database, confirmed: ConfirmedCommit | null): void {
  const found = Number(connection.prepare(READ).pluck().get() ?? 0)
  if (confirmed === null || found >= confirmed.count) return
  connection.prepare(write.text).run({ value: String(confirmed.count) })
}
