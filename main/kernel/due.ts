import type { Clock } from './clock.ts'

type DueClock = Pick<Clock, 'now' | 'movedMs'>

/**
 * A time that something waits for. Made by `dueAt`, `dueIn` and `appointmentAt`, and read where it is stored: when the clock
 * is set in between, it keeps its distance.
 */
export class Due {
  /** A time of the calendar, which stays when the clock is set. */
  readonly isAppointment: boolean
  readonly #readMs: () => number

  constructor(readMs: () => number, isAppointment: boolean) {
    this.#readMs = readMs
    this.isAppointment = isAppointment
  }

  plus(ms: number): Due {
    return new Due(() => this.atMs + ms, this.isAppointment)
  }

  /** By the clock as it is now. Read it in the commit that stores it: a number that is kept is of the clock of then. */
  get atMs(): number {
    return this.#readMs()
  }
}

/** @param atMs by the clock as it is now. What was read in a commit must be passed within it. */
export function dueAt(clock: Pick<DueClock, 'movedMs'>, atMs: number): Due {
  const movedMs = clock.movedMs()
  return new Due(() => atMs + clock.movedMs() - movedMs, false)
}

export const dueIn = (clock: DueClock, ms: number): Due => dueAt(clock, clock.now() + ms)

/** What a person or a calendar chose. */
export const appointmentAt = (atMs: number): Due => new Due(() => atMs, true)
