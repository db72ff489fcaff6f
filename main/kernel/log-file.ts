import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isoTime } from '../contract/request.ts'
import type { Clock } from './clock.ts'
import { LINES_LOST, type LogHealth } from './log-health.ts'
import { cause, logThrough, type Log, type LogFields, type LogLevel } from './log.ts'
import { redact } from './redact.ts'

/** Log lines in files that never outgrow their room. */
export interface LogFile extends Log, LogHealth {
  close(): void
}

interface LogFileDeps {
  /** Made when the first line is written. */
  readonly folder: string
  readonly clock: Pick<Clock, 'now'>
  /** The least severe line that is kept. */
  readonly level: LogLevel
  /** When a file has grown to this, the next one is begun. */
  readonly bytes: number
  /** How many there are at most, the one being written included; 0: none is written. */
  readonly files: number
  /** Whose names say whose computer it is. */
  readonly folders: readonly string[]
}

const RANK = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const satisfies Record<LogLevel, number>
const NAME = 'switchboard'
/** @param n 0: the file that is written to. */
export const logFileName = (n: number): string => (n === 0 ? `${NAME}.log` : `${NAME}.${n}.log`)

/** The folder of the log files. */
export const logFolderOf = (home: string): string => join(home, 'logs')

/**
 * Writes each line at once, so that the last before a crash is there, and looked through for what no line should hold:
 * files last, and are sent to support. What cannot be written is dropped, and that is said: a full
 * disk must not stop what the log is about.
 */
export function createLogFile({ folder, clock, level, bytes, files, folders }: LogFileDeps): LogFile {
  const current = join(folder, logFileName(0))
  let file: number | undefined
  let written = 0
  let failure: string | null = null
  let lost = 0
  const listeners: (() => void)[] = []

  function setFailure(next: string | null): void {
    const isChange = (next === null) !== (failure === null)
    failure = next
    if (isChange) for (const listener of listeners) listener()
  }

  function open(): number {
    if (file !== undefined) return file
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    file = openSync(current, 'a', 0o600)
    written = fstatSync(file).size
    return file
  }

  function close(): void {
    const open = file
    file = undefined
    if (open !== undefined) closeSync(open)
  }

  /** switchboard.log becomes switchboard.1.log, that one switchboard.2.log; the oldest goes. */
  function rotate(): void {
    close()
    const older = (n: number) => join(folder, logFileName(n))
    rmSync(older(files - 1), { force: true })
    for (let n = files - 2; n >= 0; n--) moveIfThere(older(n), older(n + 1))
  }

  function write(of: Exclude<LogLevel, 'silent'>, fields: LogFields): void {
    if (files === 0 || RANK[of] < RANK[level]) return
    const time = isoTime(clock.now())
    const line = { time, level: of, ...(redact(fields, folders) as object) }
    try {
      const loss = lost === 0 ? '' : `${JSON.stringify({ time, level: 'warn', event: LINES_LOST, lines: lost })}\n`
      const text = Buffer.from(`${loss}${JSON.stringify(line)}\n`)
      open()
      if (written > 0 && written + text.length > bytes) rotate()
      written += writeSync(open(), text)
      lost = 0
      setFailure(null)
    } catch (error) {
      lost++
      try {
        close()
      } catch {
        // Later failures for the same reason are not reported again.
      }
      setFailure(cause(error).message)
    }
  }

  return {
    ...logThrough(write),
    problem: () => (failure === null ? null : describeProblem(failure, lost)),
    onChange: (listener) => void listeners.push(listener),
    close,
  }
}

const describeProblem = (failure: string, lost: number): string =>
  `Can't write the log file (${failure}). Logs go to standard error only. Lines missing so far: ${lost}. ` +
  'Check file permissions and free space. Logging resumes automatically.'

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}

/** Every line to both. */
export const teeLog = (one: Log, other: Log): Log =>
  logThrough((level, fields) => {
    one[level](fields)
    other[level](fields)
  })
