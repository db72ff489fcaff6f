import { uptime } from 'node:os'

/** A timer that can be cancelled. Cancelling it twice is harmless. */
export interface Timer {
  cancel(): void
}

/**
 * Time, as the only source the product has. Tests replace it. A timer takes seconds at most: systems disagree about
 * what a long one means across sleep. Longer waits check once a second (deadline.ts).
 */
export interface Clock {
  /** Wall clock, epoch milliseconds, for what is stored and shown. */
  now(): number
  /** Monotonic milliseconds, for durations inside the process. Stands still during sleep on some systems. */
  mono(): number
  /** Milliseconds since this computer started, including sleep. Setting the clock does not change it. */
  uptime(): number
  /** How far setting the clock has moved `now` since the start (steady-clock.ts). See `Due` for times taken before. */
  movedMs(): number
  after(ms: number, act: () => void): Timer
  every(ms: number, act: () => void): Timer
  sleep(ms: number): Promise<void>
}

/** The machine's own time. Timers never keep the process alive by themselves. */
export const systemClock: Clock = {
  now: () => Date.now(),
  mono: () => performance.now(),
  uptime: () => uptime() * 1_000,
  movedMs: () => 0,
  after(ms, act) {
    const handle = setTimeout(act, ms)
    handle.unref()
    return { cancel: () => clearTimeout(handle) }
  },
  every(ms, act) {
    const handle = setInterval(act, ms)
    handle.unref()
    return { cancel: () => clearInterval(handle) }
  },
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}
