import type { Clock, Timer } from '../kernel/clock.ts'

/** Acts that wait for a moment of the wall clock, by name. Nothing is stored, so they are no jobs: the caller's rows are. */
export interface Alarms {
  /**
   * Acts once `atMs` is reached, or would have been reached had nobody set the clock back meanwhile. An alarm of the same
   * name is replaced.
   */
  set(name: string, atMs: number, act: () => void): void
  clear(name: string): void
  /** Forgets all of them and takes no more. */
  close(): void
}

/** Long waits are cut, so that a machine that slept, or whose clock was set, is at most this late. */
const LONGEST_TIMER_MS = 1_000

interface Alarm {
  readonly atMs: number
  /** The same moment as it was when the alarm was set. */
  readonly atMono: number
  readonly act: () => void
}

/** One timer for all alarms: it runs towards the next one, and not at all when none is set. */
export function createAlarms(clock: Clock): Alarms {
  const waiting = new Map<string, Alarm>()
  let timer: Timer | undefined
  let armedForMono = Infinity
  let isClosed = false

  function arm(): void {
    let earliestMono = Infinity
    for (const { atMono } of waiting.values()) earliestMono = Math.min(earliestMono, atMono)
    if (timer !== undefined && armedForMono === earliestMono) return
    timer?.cancel()
    timer = undefined
    armedForMono = earliestMono
    if (earliestMono === Infinity) return
    timer = clock.after(Math.min(Math.max(earliestMono - clock.mono(), 0), LONGEST_TIMER_MS), ring)
  }

  function ring(): void {
    timer = undefined
    const [nowMs, nowMono] = [clock.now(), clock.mono()]
    const due = [...waiting]
      .filter(([, { atMs, atMono }]) => atMs <= nowMs || atMono <= nowMono)
      .toSorted(([, a], [, b]) => a.atMs - b.atMs)
    for (const [name] of due) waiting.delete(name)
    arm()
    for (const [, { act }] of due) act()
  }

  return {
    set(name, atMs, act) {
      if (isClosed) return
      waiting.set(name, { atMs, atMono: clock.mono() + (atMs - clock.now()), act })
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
