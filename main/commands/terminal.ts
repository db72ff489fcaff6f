import { exitProcess } from '../kernel/process-exit.ts'

/** Where a command prints: standard output for answers, standard error for everything else. */
export interface Terminal {
  out(line: string): void
  err(line: string): void
  /** Whether colours and drawings are for a person. */
  readonly isInteractive: boolean
}

export const systemTerminal: Terminal = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  isInteractive: process.stdout.isTTY,
}

/** A mistake in how a command was called, or a refusal with a sentence for the person; printed without a stack. */
export class CommandError extends Error {}

/** Ends the process once what it wrote has left it. Waiting for its last timer would not do: libraries have their own. */
export function endWith(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => exitProcess(code)))
}
