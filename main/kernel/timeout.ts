import type { Clock, Timer } from './clock.ts'

const LONGEST_TIMER_MS = 1_000

/**
 * Acts once, `ms` of monotonic time from now, through timers of a second at most: systems disagree about what a longer
 * one means across sleep.
 */
export function startTimeout(clock: Pick<Clock, 'mono' | 'after'>, ms: number, act: () => void): Timer {
  const dueMs = clock.mono() + ms
  let timer: Timer
  const wait = () => {
    const leftMs = dueMs - clock.mono()
    // A timer may fire a fraction early; less than a millisecond is not worth another one.
    if (leftMs < 1) act()
    else timer = clock.after(Math.min(leftMs, LONGEST_TIMER_MS), wait)
  }
  timer = clock.after(Math.min(ms, LONGEST_TIMER_MS), wait)
  return { cancel: () => timer.cancel() }
}

/** Acts once, when `ms` of monotonic time have passed since it was started or last heard from. */
export interface SilenceTimeout extends Timer {
  /** Cheap: it may be called with every few bytes that arrive. */
  heard(): void
}

export function startSilenceTimeout(clock: Pick<Clock, 'mono' | 'after'>, ms: number, act: () => void): SilenceTimeout {
  let heardMs = clock.mono()
  let timer = startTimeout(clock, ms, look)
  function look() {
    const leftMs = heardMs + ms - clock.mono()
    if (leftMs < 1) act()
    else timer = startTimeout(clock, leftMs, look)
  }
  return { heard: () => void (heardMs = clock.mono()), cancel: () => timer.cancel() }
}

/** Waits for the promise, but at most this long. */
export function atMost(clock: Pick<Clock, 'mono' | 'after'>, ms: number, awaited: Promise<unknown>): Promise<void> {
  return new Promise((done) => {
    const limit = startTimeout(clock, ms, done)
    void awaited.then(() => {
      limit.cancel()
      done()
    })
  })
}
