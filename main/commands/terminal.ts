import { exitProcess } from '../kernel/process-exit.ts'

/** Standard output is for answers, standard error for everything else. */
export interface Terminal {
  out(line: string): void
  err(line: string): void
  /** Whether a person is reading, so that colours make sense. */
  readonly isInteractive: boolean
}

export const systemTerminal: Terminal = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  isInteractive: process.stdout.isTTY,
}

/** A usage mistake or a refusal; its message is printed without a stack. */
export class CommandError extends Error {}

/** Exits once all output is flushed. Waiting for an empty event loop is no option: libraries keep timers. */
export function endWith(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => exitProcess(code)))
}
