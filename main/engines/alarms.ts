import type { Clock, Timer } from '../kernel/clock.ts'

/** Acts that wait for a moment of the wall clock, by name. */
export interface Alarms {
  /** Acts once `atMs` is reached. An alarm of the same name is replaced. */
  set(name: string, atMs: number, act: () => void): void
  clear(name: string): void
  /** Forgets all of them and takes no more. */
  close(): void
}

/** Long waits are cut, so that a machine that slept, or whose clock was set, is at most this late. */
const LONGEST_TIMER_MS = 1_000

/** One timer for all alarms: it runs towards the next one, and not at all when none is set. */
export function createAlarms(clock: Clock): Alarms {
  const waiting = new Map<string, { atMs: number; act: () => void }>()
  let timer: Timer | undefined
  let armedForMs = Infinity
  let isClosed = false

  function arm(): void {
    let earliestMs = Infinity
    for (const { atMs } of waiting.values()) earliestMs = Math.min(earliestMs, atMs)
    if (timer !== undefined && armedForMs === earliestMs) return
    timer?.cancel()
    timer = undefined
    armedForMs = earliestMs
    if (earliestMs === Infinity) return
    timer = clock.after(Math.min(Math.max(earliestMs - clock.now(), 0), LONGEST_TIMER_MS), ring)
  }

  function ring(): void {
    timer = undefined
    const nowMs = clock.now()
    const due = [...waiting].filter(([, { atMs }]) => atMs <= nowMs).toSorted(([, a], [, b]) => a.atMs - b.atMs)
    for (const [name] of due) waiting.delete(name)
    arm()
    for (const [, { act }] of due) act()
  }

  return {
    set(name, atMs, act) {
      if (isClosed) return
      waiting.set(name, { atMs, act })
      arm()
    },
    clear(name) {
      if (waiting.delete(name)) arm()
    },
    close() {
      isClosed = true
      waiting.clear()
      arm()
    },
  }
}
