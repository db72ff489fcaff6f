import type { Clock } from './clock.ts'

/** Systems disagree about what a longer one means across sleep. */
const LONGEST_TIMER_MS = 1_000

/**
 * Limits the rate at which an untrusted stream is read: after each chunk, reading pauses for the time that its bytes take
 * at that rate.
 * @returns to be called with the size of each part that was read.
 */
export function createPace(
  stream: { pause(): void; resume(): void },
  { clock, bytesPerSecond }: { readonly clock: Pick<Clock, 'mono' | 'after'>; readonly bytesPerSecond: number },
): (bytes: number) => void {
  let untilMs = 0
  return (bytes) => {
    const now = clock.mono()
    const isPaused = untilMs > now
    untilMs = Math.max(now, untilMs) + (bytes / bytesPerSecond) * 1_000
    if (isPaused) return
    stream.pause()
    const wait = () => {
      const leftMs = untilMs - clock.mono()
      if (leftMs < 1) stream.resume()
      else clock.after(Math.min(leftMs, LONGEST_TIMER_MS), wait)
    }
    wait()
  }
}
