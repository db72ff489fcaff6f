import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { factFilesIn, readLine } from './fact-log.ts'
import type { Prepare } from './statements.ts'

/**
 * The number of commit groups that wrote something. The database stores it, and each number is written beside the
 * facts after its commit: a database with a lower number lacks commits, whatever its files look like.
 */
export interface CommitCount {
  /** A transaction begins. */
  begin(): void
  /** Counts the open group if it changed a row; a group without changes writes nothing. */
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

/** The last commit according to the files of facts. */
export interface ConfirmedCommit {
  readonly count: number
  readonly atMs: number
}

/** @returns null if there are no facts, or their version did not count. */
export function lastConfirmedCommit(folder: string): ConfirmedCommit | null {
  return findConfirmed(folder, () => true)
}

/** Time of the newest commit in a database; null: unknown. */
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

/** @returns null if it cannot be read; opening the database then explains why. */
export function readCommitCount(database: string): number | null {
  try {
    return countCommits(database)
  } catch {
    return null
  }
}

/** @throws SqliteError if it cannot be read. */
export function countCommits(database: string): number {
  let connection: Database.Database | undefined
  try {
    connection = new Database(database, { readonly: true, fileMustExist: true })
    // All data may have been in the log.
    const isEmpty = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get() === undefined
    return isEmpty ? 0 : Number(connection.prepare(READ).pluck().get() ?? 0)
  } finally {
    connection?.close()
  }
}

/** Continues the count of a database that lacks commits after the missing ones, once it was made safe to use. */
export function skipMissingCommits(connection: Database.Database, confirmed: ConfirmedCommit | null): void {
  const found = Number(connection.prepare(READ).pluck().get() ?? 0)
  if (confirmed === null || found >= confirmed.count) return
  connection.prepare(write.text).run({ value: String(confirmed.count) })
}
