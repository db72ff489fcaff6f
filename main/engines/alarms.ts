import type { Clock, Timer } from '../kernel/clock.ts'

/** Named alarms at a time of the wall clock. They are in memory only; the caller stores what it needs to set them again. */
export interface Alarms {
  /**
   * Acts once the time until `atMs` has passed, including sleep; setting the clock changes nothing. An alarm of the same
   * name is replaced.
   */
  set(name: string, atMs: number, act: () => void): void
  clear(name: string): void
  /** Cancels all alarms and accepts no more. */
  close(): void
}

/** The longest timer. After a sleep or a change of the clock, an alarm is at most this late. */
const LONGEST_TIMER_MS = 1_000

interface Alarm {
  readonly atMono: number
  /** The same moment by a clock that does not stand still during sleep. */
  readonly atUptime: number
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
    const [nowMono, nowUptime] = [clock.mono(), clock.uptime()]
    const due = [...waiting]
      .filter(([, { atMono, atUptime }]) => atMono <= nowMono || atUptime <= nowUptime)
      .toSorted(([, a], [, b]) => a.atMono - b.atMono)
    for (const [name] of due) waiting.delete(name)
    arm()
    for (const [, { act }] of due) act()
  }

  return {
    set(name, atMs, act) {
      if (isClosed) return
      const inMs = atMs - clock.now()
      waiting.set(name, { atMono: clock.mono() + inMs, atUptime: clock.uptime() + inMs, act })
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
