import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { CLOCK_LINE, factFilesIn, jsonOf, withChecksum } from './fact-log.ts'
import { FACT_TABLES } from './fact-tables.ts'
import type { Facts, FactValue } from './facts-as-tables.ts'
import { moveFacts, rowKeyOf, type LatestFact, type LatestFacts } from './moved-facts.ts'

/** A number instead of a row: the beginning of a file, or a count of commits. */
type Line = [table: string, row: FactValue[] | number | null, gone?: FactValue[]]

/**
 * The last fact of each row, with times of the current clock. Incomplete lines are skipped, because nothing they
 * describe was confirmed to anybody.
 */
export function readFacts(folder: string): Facts {
  const latest = new Map<string, LatestFacts>()
  let clockMovedMs: number | null = null
  const files = factFilesIn(folder)
  for (const file of files) {
    // A crash may leave a file beside its compacted version.
    if (files.includes(compactedOf(file))) continue
    for (const { line } of linesOf(file)) {
      const [table, row, gone = []] = line
      if (table === CLOCK_LINE) {
        // Written by fact-log.ts.
        const [movedMs, byMs, fromMs] = row as [number, number, number]
        // Moves only by the remaining difference if the commit of an earlier line failed and this line is from the
        // repeated one.
        moveFacts(latest, { byMs: movedMs - (clockMovedMs ?? movedMs - byMs), fromMs })
        clockMovedMs = movedMs
        continue
      }
      // Not a fact, or one of another version.
      if (typeof row === 'number' || (row !== null && !isReadable(table, row))) continue
      const rows = latest.get(table) ?? new Map<string, LatestFact>()
      latest.set(table, rows)
      rows.set(rowKeyOf(table, row ?? gone), { row: row ?? gone, isGone: row === null })
    }
  }
  const tables = [...latest].map(([table, rows]) => {
    const of = (isGone: boolean) => [...rows.values()].filter((one) => one.isGone === isGone).map(({ row }) => row)
    return [table, { rows: of(false), gone: of(true) }] as const
  })
  return { sinceMs: beganAtMs(files[0]), clockMovedMs, tables: new Map(tables) }
}

const compactedOf = (file: string): string => file.replace('.jsonl', 'c.jsonl')

function isReadable(table: string, row: readonly FactValue[]): boolean {
  const { key = [], columns = [], addedColumns = 0 } = FACT_TABLES[table] ?? {}
  const most = key.length + columns.length
  return row.length <= most && row.length >= most - addedColumns
}

/**
 * Removes useless data, one file at a time: files older than every backup, and lines that a later one in the same
 * file replaces.
 * @param oldestBackupMs Infinity: there is no backup.
 * @returns whether there is more to do.
 */
export function compactFacts(folder: string, oldestBackupMs: number): boolean {
  const files = factFilesIn(folder)
  const [oldest, next] = files
  // A file ends where the next one begins.
  if (oldest !== undefined && beganAtMs(next) < oldestBackupMs) {
    rmSync(oldest)
    return true
  }
  const file = files.slice(0, -1).find((path) => !path.endsWith('c.jsonl'))
  if (file === undefined) return false
  const kept = new Map<string, string>()
  for (const { json, line } of linesOf(file)) {
    kept.delete(keyOf(line))
    kept.set(keyOf(line), json)
  }
  const compacted = compactedOf(file)
  writeFileSync(`${compacted}.new`, [...kept.values()].map(withChecksum).join(''), { mode: 0o600, flush: true })
  renameSync(`${compacted}.new`, compacted)
  rmSync(file)
  return true
}

/** Clock changes keep their position, because they move the lines before them. */
function keyOf([table, row, gone]: Line): string {
  if (typeof row === 'number') return table
  return `${table} ${rowKeyOf(table, row ?? gone ?? [])}`
}

function beganAtMs(file: string | undefined): number {
  if (file === undefined) return Infinity
  const [first] = linesOf(file)
  return typeof first?.line[1] === 'number' ? first.line[1] : Infinity
}

function* linesOf(file: string): Generator<{ readonly json: string; readonly line: Line }> {
  for (const text of readFileSync(file, 'utf8').split('\n')) {
    const json = jsonOf(text)
    // Written by fact-log.ts, as the checksum says.
    if (json !== undefined) yield { json, line: JSON.parse(json) as Line }
  }
}
