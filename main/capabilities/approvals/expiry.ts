import type { Clock, Timer } from '../../kernel/clock.ts'
import type { Approval } from './store.ts'

type Waiting = Pick<Approval, 'id' | 'accountId' | 'expiresAtMs'>

export interface Expiry {
  /** Starts to watch this approval until its expiry. */
  watch(approval: Waiting): void
  close(): void
}

/** Expiry is not stored: it follows from the clock, so it needs no job. Windows that show approvals are notified. */
export function createExpiry({ clock, expired }: { clock: Clock; expired: (approval: Waiting) => void }): Expiry {
  const waiting = new Set<Waiting>()
  let ticker: Timer | undefined

  const stop = () => {
    ticker?.cancel()
    ticker = undefined
  }
  const look = () => {
    const now = clock.now()
    for (const approval of waiting) {
      if (approval.expiresAtMs > now) continue
      waiting.delete(approval)
      expired(approval)
    }
    if (waiting.size === 0) stop()
  }

  return {
    watch(approval) {
      waiting.add(approval)
      ticker ??= clock.every(1_000, look)
    },
    close: stop,
  }
}
