import type { Clock, Timer } from './clock.ts'
import { cause, type Log } from './log.ts'

/** Work that may take its time, such as removing what is old. */
export interface Chore {
  /** Names the log lines. */
  readonly name: string
  /** Begins a pass. @returns one step of it, a few milliseconds long, which says whether another is to follow. */
  begin(): () => Promise<boolean>
}

/** The chore, skipped while it must not run. */
export const onlyWhen = (mayRun: () => boolean, { name, begin }: Chore): Chore => ({
  name,
  begin: () => (mayRun() ? begin() : () => Promise.resolve(false)),
})

export interface Housekeeping {
  start(): void
  /** Starts a round at the next check, for example when the disk is full. */
  runSoon(): void
  /** Starts nothing new, and resolves when the current step has ended. */
  close(): Promise<void>
}

const EVERY_MS = 3_600_000
/** No chores run while the service starts and numbers connect. */
const FIRST_AFTER_MS = 60_000
const LOOK_MS = 1_000
/** Between two steps callers of the API have the loop to themselves. */
const PAUSE_MS = 20

/** Runs every chore once an hour, one after the other, in small steps. A failed chore runs again in the next hour. */
export function createHousekeeping({
  clock,
  log,
  chores,
}: {
  clock: Pick<Clock, 'mono' | 'every' | 'sleep'>
  log: Log
  chores: readonly Chore[]
}): Housekeeping {
  let timer: Timer | undefined
  let dueMono = clock.mono() + FIRST_AFTER_MS
  let round: Promise<void> | undefined
  let isClosed = false

  async function runChore({ name, begin }: Chore): Promise<void> {
    try {
      const step = begin()
      while (!isClosed && (await step())) await clock.sleep(PAUSE_MS)
    } catch (error) {
      log.warn({ event: 'housekeeping.failed', chore: name, cause: cause(error) })
    }
  }

  async function runAll(): Promise<void> {
    for (const chore of chores) await runChore(chore)
  }

  function look(): void {
    if (round !== undefined || clock.mono() < dueMono) return
    dueMono = clock.mono() + EVERY_MS
    round = runAll().finally(() => (round = undefined))
  }

  return {
    start() {
      timer ??= clock.every(LOOK_MS, look)
    },
    runSoon: () => void (dueMono = clock.mono()),
    async close() {
      isClosed = true
      timer?.cancel()
      await round
    },
  }
}
