import type { Clock } from './clock.ts'

/** Whether requests are being served at the moment. Background work then yields the event loop to them. */
export interface ApiActivity {
  /** Notes that a request arrived. */
  note(): void
  isRecent(): boolean
}

/** A client that sends requests one after another counts as active between them. */
const RECENT_MS = 100

export function createApiActivity(clock: Pick<Clock, 'mono'>): ApiActivity {
  let lastMono = -Infinity
  return {
    note: () => void (lastMono = clock.mono()),
    isRecent: () => clock.mono() - lastMono < RECENT_MS,
  }
}
