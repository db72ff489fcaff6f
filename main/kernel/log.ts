import { pino } from 'pino'
import { systemClock } from './clock.ts'
import { createLineOutput } from './line-output.ts'
import type { LogHealth } from './log-health.ts'
import { redact } from './redact.ts'

/** Logs are events with fields. Never bodies, phone numbers, keys, or addresses with tokens in them. */
export interface Log {
  debug(fields: LogFields): void
  info(fields: LogFields): void
  warn(fields: LogFields): void
  error(fields: LogFields): void
}

export interface LogFields {
  /** Dotted name of what happened, for example `delivery.retry`. */
  readonly event: string
  readonly [field: string]: unknown
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/**
 * JSON lines on standard error, so that standard output stays free for answers to programs. They are redacted like those
 * in files, because a service manager stores them and shows them to others.
 */
export function createLog(level: LogLevel): Log & LogHealth {
  const output = createLineOutput({ fd: 2, clock: systemClock })
  process.once('exit', output.flush)
  const lines = pino(
    {
      ...{ level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
      formatters: { log: (fields) => redact(fields) as LogFields },
    },
    output,
  )
  return { ...logThrough((of, fields) => lines[of](fields)), problem: output.problem, onChange: output.onChange }
}

export const silentLog: Log = logThrough(() => {})

/** A log whose levels all go through one function. */
export function logThrough(write: (level: Exclude<LogLevel, 'silent'>, fields: LogFields) => void): Log {
  return {
    debug: (fields) => write('debug', fields),
    info: (fields) => write('info', fields),
    warn: (fields) => write('warn', fields),
    error: (fields) => write('error', fields),
  }
}

/** An error as log fields: name, message and stack of ours, never a foreign body. */
export function cause(error: unknown): { name: string; message: string; stack?: string | undefined } {
  if (error instanceof Error) return { name: error.name, message: error.message, stack: error.stack }
  return { name: 'Unknown', message: String(error) }
}
