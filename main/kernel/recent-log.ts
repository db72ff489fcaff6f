import type { Clock } from './clock.ts'
import { logThrough, type Log, type LogFields, type LogLevel } from './log.ts'

/** A line that was logged, for somebody who looks for the reason of something. */
export interface LogLine extends LogFields {
  readonly at: number
  readonly level: Exclude<LogLevel, 'silent' | 'debug'>
}

export interface RecentLog extends Log {
  /** The last lines, oldest first. */
  lines(): readonly LogLine[]
}

const KEPT = 300

/** Passes everything on and remembers the last lines of every level. */
export function withRecentLines(log: Log, clock: Pick<Clock, 'now'>): RecentLog {
  const kept: LogLine[] = []
  return {
    ...logThrough((level, fields) => {
      if (level !== 'debug') kept.push({ at: clock.now(), level, ...fields })
      if (kept.length > KEPT) kept.shift()
      log[level](fields)
    }),
    lines: () => kept,
  }
}
