import type { Clock } from './clock.ts'

/** Whether anybody asks the API for anything at the moment: work in the background then leaves them the loop. */
export interface ApiActivity {
  /** A request came. */
  note(): void
  isRecent(): boolean
}

/** Who asks one thing after another is still there between two answers. */
const RECENT_MS = 100

export function createApiActivity(clock: Pick<Clock, 'mono'>): ApiActivity {
  let lastMono = -Infinity
  return {
    note: () => void (lastMono = clock.mono()),
    isRecent: () => clock.mono() - lastMono < RECENT_MS,
  }
}
