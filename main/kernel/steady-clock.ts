import type { Clock } from './clock.ts'

/** Somebody set the clock, or the network did. */
export interface ClockChange {
  /** How far; negative: back. */
  readonly byMs: number
  /** The time before the change. */
  readonly fromMs: number
  /** How far the clock had been set forward before: what has come only since then has not come. Default: 0. */
  readonly aheadMs?: number
}

/**
 * Moves all stored times that something waits for by the same amount.
 * @param release makes `now` say the new time. Call it at the end of the unit of work that moves them.
 */
type MoveDueTimes = (change: ClockChange, release: () => void) => Promise<void>

/** A clock that is set only together with what waits for it. */
export interface SteadyClock extends Clock {
  /** Looks whether the clock was set, and retries a move that failed. Call it once a second. */
  check(): void
  /** Until `moveDueTimes` is given, changes of the clock take effect immediately. */
  follow(moveDueTimes: MoveDueTimes): void
}

/** A smaller change is left alone: clocks are adjusted by fractions of a second all the time. */
export const CLOCK_SLACK_MS = 5_000

/**
 * The computer's clock as the service sees it. When the clock is set, `now` continues from the old time until the
 * stored due times have been moved, so a wait keeps its length: nothing runs early in bulk, and nothing is parked.
 */
export function createSteadyClock(clock: Clock): SteadyClock {
  let last = read()
  /** How far the clock was set since due times were last moved. */
  let pendingMs = 0
  let moveDueTimes: MoveDueTimes | undefined
  /** How much of that `now` includes. */
  let movedMs = 0
  let isMoving = false

  function read() {
    return { wall: clock.now(), mono: clock.mono(), uptime: clock.uptime() }
  }

  function now(): number {
    if (Math.abs(clock.now() - last.wall - (clock.mono() - last.mono)) > CLOCK_SLACK_MS) noticeChange()
    return clock.now() - pendingMs
  }

  function noticeChange(): void {
    const before = last
    last = read()
    const monoMs = last.mono - before.mono
    const uptimeMs = last.uptime - before.uptime
    // The uptime has whole seconds on some systems, so it only serves to recognize sleep.
    const passedMs = uptimeMs - monoMs > CLOCK_SLACK_MS ? uptimeMs : monoMs
    const byMs = Math.round(last.wall - before.wall - passedMs)
    if (Math.abs(byMs) <= CLOCK_SLACK_MS || moveDueTimes === undefined) return
    pendingMs += byMs
    // Not now: the caller may be in a unit of work, and a commit within it would make both fail.
    setImmediate(move)
  }

  function move(): void {
    if (isMoving || pendingMs === 0 || moveDueTimes === undefined) return
    isMoving = true
    const byMs = pendingMs
    let isReleased = false
    // A unit of work may run twice.
    const release = () => {
      if (!isReleased) follow(byMs)
      isReleased = true
    }
    moveDueTimes({ byMs, fromMs: clock.now() - pendingMs }, release)
      .catch(() => {
        // The storage did not take it, so nothing has moved.
        if (isReleased) follow(-byMs)
      })
      .finally(() => (isMoving = false))
  }

  function follow(byMs: number): void {
    pendingMs -= byMs
    movedMs += byMs
  }

  return {
    now,
    movedMs: () => movedMs,
    mono: clock.mono,
    uptime: clock.uptime,
    after: clock.after,
    every: clock.every,
    sleep: clock.sleep,
    check() {
      now()
      move()
      last = read()
    },
    follow: (given) => void (moveDueTimes = given),
  }
}
