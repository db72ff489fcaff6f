import { systemClock, type Clock, type Timer } from '../../main/kernel/clock.ts'

/** A clock that stands still until the test moves it. */
export interface FakeClock extends Clock {
  /**
   * Lets time pass: due timers run in the order of their times, and promises settle after each.
   * Also covers timers that other timers start meanwhile.
   */
  advance(ms: number): Promise<void>
  /**
   * Lets time pass without the ticks of repeating timers, which go on in step afterwards: for stretches in which a tick
   * finds nothing to do. Stops before the next timer that fires once.
   * @returns how much time passed.
   */
  skip(atMostMs: number): number
  /** Sets the wall clock, as a person or the network would; timers and durations do not notice. */
  set(wallMs: number): void
  /** The computer sleeps: time passes, but no timer runs and the monotonic clock stands still. */
  suspend(ms: number): void
  /** How many timers wait: nothing may be left behind by what was closed. */
  waiting(): number
}

/** The real time, but nothing ever takes too long: for tests about results on a busy machine. */
export const patientClock: Clock = { ...systemClock, after: () => ({ cancel() {} }) }

interface Waiting {
  dueMs: number
  readonly everyMs: number | undefined
  readonly act: () => void
}

/** 2026-01-05T12:00:00.000Z, a Monday. */
export const START_MS = Date.UTC(2026, 0, 5, 12)

export function fakeClock(startMs: number = START_MS): FakeClock {
  let wall = startMs
  let mono = 0
  let sleptMs = 0
  const timers = new Set<Waiting>()

  function start(ms: number, act: () => void, everyMs?: number): Timer {
    const timer = { dueMs: mono + Math.max(ms, 0), everyMs, act }
    timers.add(timer)
    return { cancel: () => void timers.delete(timer) }
  }

  function moveTo(targetMono: number): void {
    wall += targetMono - mono
    mono = targetMono
  }

  function nextDue(untilMono: number): Waiting | undefined {
    // A Set keeps the order of starting, which decides between timers of one moment.
    let first: Waiting | undefined
    for (const timer of timers) {
      if (timer.dueMs <= untilMono && (!first || timer.dueMs < first.dueMs)) first = timer
    }
    return first
  }

  function fire(timer: Waiting): void {
    moveTo(Math.max(timer.dueMs, mono))
    if (timer.everyMs === undefined) timers.delete(timer)
    else timer.dueMs += Math.max(timer.everyMs, 1)
    timer.act()
  }

  return {
    now: () => wall,
    mono: () => mono,
    uptime: () => mono + sleptMs,
    movedMs: () => 0,
    after: (ms, act) => start(ms, act),
    every: (ms, act) => start(ms, act, ms),
    sleep: (ms) => new Promise((resolve) => void start(ms, resolve)),
    async advance(ms) {
      const target = mono + ms
      await settle()
      for (let timer = nextDue(target); timer; timer = nextDue(target)) {
        // Timers of one moment run together, as in Node: the event loop turns once after all of them.
        const moment = Math.max(timer.dueMs, mono)
        for (const due of [...timers].filter(({ dueMs }) => dueMs <= moment).sort((a, b) => a.dueMs - b.dueMs)) {
          if (!timers.has(due)) continue
          fire(due)
          await Promise.resolve()
        }
        await settle()
      }
      moveTo(target)
    },
    skip(atMostMs) {
      const once = [...timers].filter(({ everyMs }) => everyMs === undefined).map(({ dueMs }) => dueMs)
      const ms = Math.max(0, Math.min(atMostMs, ...once.map((dueMs) => dueMs - mono)))
      for (const timer of timers) if (timer.everyMs !== undefined) timer.dueMs += ms
      moveTo(mono + ms)
      return ms
    },
    set: (wallMs) => void (wall = wallMs),
    suspend(ms) {
      wall += ms
      sleptMs += ms
    },
    waiting: () => timers.size,
  }
}

const TURNS = 4

/**
 * Gives everything that is ready the chance to run: microtasks, and the commits they start (one turn of the event loop
 * each). What waits for a real socket or file takes longer; wait for its effect, not for time.
 */
export async function settle(turns: number = TURNS): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve))
}

const isAtFiles = () => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'))

/** Waits while files are read or written, and for what follows: on a busy machine that takes longer than any turns. */
export async function settleFiles(): Promise<void> {
  for (let turns = 0; turns < 1_000 && isAtFiles(); turns++) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    await settle()
  }
}

/** Real time, with a count of the timers that still wait. */
export function countingClock(): { clock: Clock; running: () => number } {
  const running = new Set<object>()
  const counted = (start: (done: () => void) => { cancel(): void }, isOnce: boolean) => {
    const mark = {}
    running.add(mark)
    const timer = start(() => isOnce && running.delete(mark))
    return {
      cancel() {
        running.delete(mark)
        timer.cancel()
      },
    }
  }
  return {
    running: () => running.size,
    clock: {
      ...systemClock,
      after: (ms, act) => counted((done) => systemClock.after(ms, () => (done(), act())), true),
      every: (ms, act) => counted(() => systemClock.every(ms, act), false),
    },
  }
}
