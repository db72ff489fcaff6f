import type { LinkSignal } from './link-event.ts'

/** @param movedMs how far the clock was set since the signal was made. */
export function followClock(signal: LinkSignal, movedMs: number): LinkSignal {
  if (movedMs === 0) return signal
  const moved = (atMs: number | null) => (atMs === null ? null : atMs + movedMs)
  switch (signal.kind) {
    case 'qr':
      return { ...signal, expiresAtMs: signal.expiresAtMs + movedMs }
    case 'link_lost':
      return { ...signal, nextRetryAtMs: moved(signal.nextRetryAtMs) }
    case 'auth_failed':
      return { ...signal, untilMs: moved(signal.untilMs) }
    default:
      return signal
  }
}
