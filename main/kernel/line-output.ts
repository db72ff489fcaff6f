import { write as systemWrite, writeSync } from 'node:fs'
import type { Clock, Timer } from './clock.ts'
import { LINES_LOST, type LogHealth } from './log-health.ts'

/** Log lines to a file descriptor. Lines that cannot be written are dropped and counted. */
export interface LineOutput extends LogHealth {
  /** @param line with its line break. */
  write(line: string): void
  /** Writes the waiting lines synchronously. Call it when the process exits. */
  flush(): void
}

interface LineOutputDeps {
  readonly fd: number
  /** Of real time: file descriptors live in it. */
  readonly clock: Pick<Clock, 'after'>
  /** Tests only: writes instead of the system. */
  readonly write?: Write
}

type Write = (fd: number, bytes: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void) => void

interface Portion {
  readonly bytes: Buffer
  /** How many lines of the log are lost if it cannot be written. */
  readonly lines: number
}

const LINE_BREAK = 0x0a
/** What a reader that stopped reading may keep waiting. */
const MOST_WAITING_BYTES = 1024 * 1024
const BUSY_RETRY_MS = 100
/** After a failed write, lines are dropped for this long. Trying each line would keep the processor busy. */
const FAILED_RETRY_MS = 5_000

/**
 * Writes in the background and never throws: a full disk, a closed pipe or a reader that has stopped must not stop the
 * service. Resumes when writing is possible again, with a line that says how many were lost.
 */
export function createLineOutput({ fd, clock, write = systemWrite }: LineOutputDeps): LineOutput {
  let waiting: Portion[] = []
  let waitingBytes = 0
  let isWriting = false
  let retry: Timer | undefined
  let failure: NodeJS.ErrnoException | null = null
  let lost = 0
  /** How many of the lost lines the waiting note names. */
  let announced = 0
  let isMidLine = false
  const listeners: (() => void)[] = []

  function setFailure(next: NodeJS.ErrnoException | null): void {
    const isChange = (next === null) !== (failure === null)
    failure = next
    if (isChange) for (const listener of listeners) listener()
  }

  function add(text: string, lines: number): void {
    const bytes = Buffer.from(text)
    waiting.push({ bytes, lines })
    waitingBytes += bytes.length
  }

  function announceLoss(): void {
    announced = lost
    add(`${isMidLine ? '\n' : ''}${JSON.stringify({ event: LINES_LOST, lines: lost })}\n`, 0)
  }

  function writeNext(): void {
    if (isWriting || retry !== undefined || waiting.length === 0) return
    isWriting = true
    const portion = joined(waiting)
    waiting = []
    write(fd, portion.bytes, (error, written) => {
      isWriting = false
      if (error !== null) return onError(error, portion)
      isMidLine = portion.bytes[written - 1] !== LINE_BREAK
      waitingBytes -= written
      if (written < portion.bytes.length) waiting.unshift(restOf(portion, written))
      if (waiting.length === 0) onAllWritten()
      writeNext()
    })
  }

  function onAllWritten(): void {
    lost -= announced
    announced = 0
    setFailure(null)
    if (lost > 0) announceLoss()
  }

  function onError(error: NodeJS.ErrnoException, portion: Portion): void {
    waiting.unshift(portion)
    if (error.code === 'EAGAIN' || error.code === 'EBUSY') return retryIn(BUSY_RETRY_MS)
    lost += joined(waiting).lines
    announced = 0
    waiting = []
    waitingBytes = 0
    setFailure(error)
    retryIn(FAILED_RETRY_MS)
  }

  function retryIn(ms: number): void {
    retry = clock.after(ms, () => {
      retry = undefined
      if (failure !== null) announceLoss()
      writeNext()
    })
  }

  return {
    write(line) {
      if (failure !== null || waitingBytes > MOST_WAITING_BYTES) {
        lost += 1
        return
      }
      add(line, 1)
      writeNext()
    },
    problem: () =>
      failure === null
        ? null
        : `Can't write the log to standard error (${failure.code ?? failure.message}). ${lost} lines are lost so far. ` +
          'Check free space where standard error is redirected to, and whether its reader still runs. ' +
          'Logging resumes automatically.',
    onChange: (listener) => void listeners.push(listener),
    flush() {
      try {
        for (const { bytes } of waiting) writeSync(fd, bytes)
      } catch {
        // The process exits; there is nowhere left to report it.
      }
      waiting = []
      waitingBytes = 0
    },
  }
}

const joined = (portions: readonly Portion[]): Portion => ({
  bytes: Buffer.concat(portions.map(({ bytes }) => bytes)),
  lines: portions.reduce((sum, { lines }) => sum + lines, 0),
})

function restOf({ bytes, lines }: Portion, written: number): Portion {
  const complete = bytes.subarray(0, written).reduce((count, byte) => count + (byte === LINE_BREAK ? 1 : 0), 0)
  return { bytes: bytes.subarray(written), lines: Math.max(0, lines - complete) }
}
