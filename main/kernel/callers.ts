import type { Clock } from './clock.ts'

/** Whether anybody asks the API for anything at the moment: work in the background then leaves them the loop. */
export interface Callers {
  /** A request came. */
  came(): void
  areHere(): boolean
}

/** Who asks one thing after another is still there between two answers. */
const STAY_MS = 100

export function createCallers(clock: Pick<Clock, 'mono'>): Callers {
  let lastMono = -Infinity
  return {
    came: () => void (lastMono = clock.mono()),
    areHere: () => clock.mono() - lastMono < STAY_MS,
  }
}
