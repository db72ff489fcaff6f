import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { ClockChange } from '../kernel/steady-clock.ts'
import { FACT_TABLES } from './fact-tables.ts'
import { asStorageError } from './sqlite-errors.ts'

/**
 * Facts that no restore may undo, in a folder beside the database, in case the database cannot be read. Each line is
 * `<CRC-32> <JSON>`. The JSON is `[table, [key and columns]]`, or `[table, null, [key]]` for a row that was removed.
 * Every file begins with `["from", ms]`, and `["commits", count, ms]` records the number of committed groups
 * (commit-count.ts). `["clock", [moved, by, from]]` records a change of the clock and the total change: times in
 * earlier lines are moved when they are read. Lines hold the latest state of a row, so reading one twice changes
 * nothing, and a line whose commit failed only makes the answer stricter.
 */
export interface FactLog {
  /** @param json one line, for the current group of commits. */
  note(table: string, json: string): void
  /**
   * The clock is set in the group. Call it before the rows that move with it change.
   * @param movedMs total change.
   */
  noteClockSet(change: ClockChange, movedMs: number): void
  /** Writes the lines of the group, before its commit. */
  write(): void
  /** The group is committed. @param count number of committed groups, including this one. */
  confirm(count: number): void
  mark(): number
  /** Drops the lines since the mark, because their changes were rolled back. */
  undo(mark: number): void
  close(): void
}

interface FactLogDeps {
  readonly folder: string
  readonly now: () => number
  /** Called when the disk failed and the file is incomplete. */
  readonly onProblem: (error: unknown) => void
}

/** First word of a line about a change of the clock. */
export const CLOCK_LINE = 'clock'

/** The letter marks a compacted file. */
const FILE = /^facts-(\d{6})(c?)\.jsonl$/
const FILE_BYTES = 4 * 1024 * 1024
const SYNC_EVERY_MS = 1_000
const COUNTERS_EVERY_MS = 5_000

export const factsFolderOf = (database: string): string => join(dirname(database), 'facts')

/** The files, oldest first. The last one is being written. */
export function factFilesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => FILE.test(name))
  return names.toSorted().map((name) => join(folder, name))
}

export const withChecksum = (json: string): string => `${checksum(json)} ${json}\n`
const checksum = (json: string): string => crc32(json).toString(16).padStart(8, '0')

/** @returns the content of the line; undefined if it is empty or incomplete. */
export function readLine(text: string): unknown[] | undefined {
  const json = jsonOf(text)
  return json === undefined ? undefined : (JSON.parse(json) as unknown[])
}

export function jsonOf(text: string): string | undefined {
  const json = text.slice(9)
  return json !== '' && checksum(json) === text.slice(0, 8) ? json : undefined
}

export function openFactLog({ folder, now, onProblem }: FactLogDeps): FactLog {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let waiting: { readonly table: string; readonly json: string }[] = []
  /** By row: only the latest value is written. */
  const counters = new Map<string, string>()
  let countersAtMs = now()
  let syncedAtMs = now()
  let isSyncing = false
  /** The last line is incomplete. */
  let isBroken = false
  let { fd, bytes, number } = continueFile()

  function continueFile() {
    const last = factFilesIn(folder).at(-1)
    const [, digits = '0', compacted = ''] = FILE.exec(last?.slice(folder.length + 1) ?? '') ?? []
    const size = last === undefined || compacted !== '' ? FILE_BYTES : statSync(last).size
    if (last === undefined || size >= FILE_BYTES) return beginFile(Number(digits) + 1)
    // Starts a new line after an incomplete one of an earlier process.
    const opened = openSync(last, 'a', 0o600)
    return { fd: opened, bytes: size + writeSync(opened, '\n'), number: Number(digits) }
  }

  function beginFile(next: number) {
    const opened = openSync(join(folder, `facts-${String(next).padStart(6, '0')}.jsonl`), 'a', 0o600)
    const written = writeSync(opened, withChecksum(JSON.stringify(['from', now()])))
    fdatasyncSync(opened)
    return { fd: opened, bytes: written, number: next }
  }

  function takeCounters(): string {
    countersAtMs = now()
    const text = [...counters.values()].map(withChecksum).join('')
    counters.clear()
    return text
  }

  /** A time in the future comes from a clock that was set back since. */
  function hasPassed(sinceMs: number, waitMs: number): boolean {
    const passedMs = now() - sinceMs
    return passedMs < 0 || passedMs >= waitMs
  }

  /** Off the event loop. */
  function syncSoon(): void {
    if (isSyncing || !hasPassed(syncedAtMs, SYNC_EVERY_MS)) return
    isSyncing = true
    syncedAtMs = now()
    fdatasync(fd, (error) => {
      isSyncing = false
      // EBADF: the file was closed after it was synced.
      if (error !== null && error.code !== 'EBADF') onProblem(error)
    })
  }

  function append(text: string, isUrgent: boolean): void {
    try {
      bytes += writeSync(fd, isBroken ? `\n${text}` : text)
      isBroken = false
    } catch (error) {
      isBroken = true
      throw asStorageError(error, 'The facts beside the database cannot be written')
    }
    if (bytes < FILE_BYTES && !isUrgent) return syncSoon()
    fdatasyncSync(fd)
    syncedAtMs = now()
    if (bytes < FILE_BYTES) return
    closeSync(fd)
    ;({ fd, bytes, number } = beginFile(number + 1))
  }

  return {
    note(table, json) {
      const of = FACT_TABLES[table]
      if (of?.durable !== 'lazily') return void waiting.push({ table, json })
      const [, row] = JSON.parse(json) as [string, (string | number)[]]
      counters.set(`${table} ${row.slice(0, of.key.length).join(' ')}`, json)
    },
    noteClockSet({ byMs, fromMs }, movedMs) {
      // They belong to earlier commits. If those are rolled back, the counters are recorded again with their next
      // change.
      waiting.push(...[...counters.values()].map((json) => ({ table: CLOCK_LINE, json })))
      counters.clear()
      waiting.push({ table: CLOCK_LINE, json: JSON.stringify([CLOCK_LINE, [movedMs, byMs, fromMs]]) })
    },
    mark: () => waiting.length,
    undo(mark) {
      waiting.length = mark
    },
    write() {
      const areCountersDue = counters.size > 0 && hasPassed(countersAtMs, COUNTERS_EVERY_MS)
      if (waiting.length === 0 && !areCountersDue) return
      const lines = waiting.map(({ json }) => withChecksum(json)).join('')
      const isUrgent = waiting.some(({ table }) => FACT_TABLES[table]?.durable === 'before_commit')
      waiting = []
      append(areCountersDue ? lines + takeCounters() : lines, isUrgent)
    },
    confirm: (count) => append(withChecksum(JSON.stringify(['commits', count, now()])), false),
    close() {
      append(takeCounters(), true)
      closeSync(fd)
    },
  }
}
