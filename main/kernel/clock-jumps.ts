import type { Clock, Timer } from './clock.ts'

/**
 * Finds the moments after which time cannot be trusted: this process did not run for a while (sleep, a stopped
 * process), or somebody set the clock. The two are not distinguished, because systems differ in what their clocks do
 * during sleep; what follows a gap must be right for both, and harmless when it is done once too often.
 */
export interface ClockJumps {
  /**
   * Checks now. Call it before judging by time: after a sleep every deadline has passed.
   * @returns how many gaps there were since the start.
   */
  check(): number
  /** The system reports sleep or a network change. Handled as a gap even if the clocks show none. */
  report(): void
  /** @param act is called synchronously, in the order of subscription. */
  onJump(act: () => void): void
  start(): void
  close(): void
}

const CHECK_MS = 1_000
/** A tick that comes this late was not merely delayed by work. */
const STALL_MS = 15_000
/** How far the wall clock and the monotonic clock may differ between two checks. */
const DRIFT_MS = 5_000

export function createClockJumps(clock: Pick<Clock, 'now' | 'mono' | 'every'>): ClockJumps {
  const listeners: (() => void)[] = []
  let last = { wall: clock.now(), mono: clock.mono() }
  let count = 0
  let timer: Timer | undefined

  function noteJump(): void {
    count++
    for (const act of listeners) act()
  }

  function check(): number {
    const now = { wall: clock.now(), mono: clock.mono() }
    const [wallMs, monoMs] = [now.wall - last.wall, now.mono - last.mono]
    // Set first, because a subscriber may call `check` itself.
    last = now
    if (Math.max(wallMs, monoMs) > STALL_MS || Math.abs(wallMs - monoMs) > DRIFT_MS) noteJump()
    return count
  }

  return {
    check,
    report: noteJump,
    onJump: (act) => void listeners.push(act),
    start() {
      last = { wall: clock.now(), mono: clock.mono() }
      timer ??= clock.every(CHECK_MS, () => void check())
    },
    close: () => timer?.cancel(),
  }
}
