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

/**
 * Keeps the process running when its output cannot be written, for example on a full disk or after the reader of a pipe
 * has exited. Node ends a process whose standard streams fail without a listener.
 */
export function surviveOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.off('error', ignoreError)
    stream.on('error', ignoreError)
  }
}

const ignoreError = () => {}

/** Commands that run the service. Their output is information for a person, not a result. */
const SERVICES: readonly string[] = ['start', 'serve']

/**
 * Exits once all output is flushed, with 1 if the answer of the command could not be written. Waiting for an empty event
 * loop is no option: libraries keep timers.
 */
export function endWith(code: number, command: string): void {
  process.stdout.write('', () => {
    const failure = SERVICES.includes(command) ? null : lostOutput(process.stdout.errored)
    if (failure !== null) process.stderr.write(`${failure}\n`)
    process.stderr.write('', () => exitProcess(failure === null ? code : 1))
  })
}

/** A reader that stops early, such as `head`, has read enough. */
function lostOutput(error: NodeJS.ErrnoException | null): string | null {
  if (error === null || error.code === 'EPIPE') return null
  return `Can't write the output (${error.code ?? error.message}). Check free space where it is redirected to, then run the command again.`
}
