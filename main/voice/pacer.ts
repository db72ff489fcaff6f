import type { Clock, Timer } from '../kernel/clock.ts'
import { FRAME_MS } from './audio.ts'

export interface Pacer {
  stop(): void
  /** How often a frame was late by more than its length. */
  underruns(): number
}

const TICK_MS = 20
/** After a longer interruption, such as sleep, missed time is skipped. */
const MADE_UP_MS = 1_000

/**
 * Calls `frame` every 20 ms, or `speed` times as often. Makes up for late timers, so that it does not drift.
 * @param isHeld while true, no frames are called.
 */
export function startPacer(
  clock: Pick<Clock, 'mono' | 'every'>,
  speed: number,
  { frame, isHeld }: { frame: () => void; isHeld: () => boolean },
): Pacer {
  let last = clock.mono()
  let owedMs = 0
  let late = 0
  let isStopped = false
  const timer: Timer = clock.every(TICK_MS, () => {
    const now = clock.mono()
    const passed = now - last
    last = now
    if (isHeld()) return
    if (passed > 2 * TICK_MS + 1) late++
    owedMs += Math.min(passed, MADE_UP_MS) * speed
    while (owedMs >= FRAME_MS && !isStopped) {
      if (isHeld()) return void (owedMs = 0)
      owedMs -= FRAME_MS
      frame()
    }
  })
  return {
    stop() {
      isStopped = true
      timer.cancel()
    },
    underruns: () => late,
  }
}
