import type { Clock, Timer } from '../../kernel/clock.ts'

export interface Expiry {
  /** This one waits until then. */
  watch(id: string, expiresAtMs: number): void
  close(): void
}

/** Expiry is not stored; the clock decides it, so it is no job. Windows that show approvals are notified. */
export function createExpiry({ clock, expired }: { clock: Clock; expired: (id: string) => void }): Expiry {
  const waiting = new Map<string, number>()
  let ticker: Timer | undefined

  const stop = () => {
    ticker?.cancel()
    ticker = undefined
  }
  const look = () => {
    const now = clock.now()
    for (const [id, expiresAtMs] of waiting) {
      if (expiresAtMs > now) continue
      waiting.delete(id)
      expired(id)
    }
    if (waiting.size === 0) stop()
  }

  return {
    watch(id, expiresAtMs) {
      waiting.set(id, expiresAtMs)
      ticker ??= clock.every(1_000, look)
    },
    close: stop,
  }
}
