import type { Clock } from '../../kernel/clock.ts'
import { startTimeout } from '../../kernel/timeout.ts'

/** @returns false when the signal came first. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const giveUp = () => {
      timer.cancel()
      resolve(false)
    }
    const timer = startTimeout(clock, ms, () => {
      signal.removeEventListener('abort', giveUp)
      resolve(true)
    })
    signal.addEventListener('abort', giveUp, { once: true })
  })
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
