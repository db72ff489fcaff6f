import type { Clock } from '../../kernel/clock.ts'
import { dueIn, type Due } from '../../kernel/due.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Alarms } from '../alarms.ts'

/** WhatsApp hands out six refs per connection. Its own client shows the first for a minute, the others for 20 seconds. */
const FIRST_QR_MS = 60_000
const NEXT_QR_MS = 20_000
export const ALL_QR_MS = FIRST_QR_MS + 5 * NEXT_QR_MS

interface QrCodesDeps {
  readonly clock: Pick<Clock, 'now' | 'movedMs'>
  readonly alarms: Alarms
  readonly id: InstanceId
  /** Draws this ref with the current secret. */
  show(ref: string, expiresAt: Due): void
  /** The last ref has expired. */
  usedUp(): void
}

export interface QrCodes {
  /** Shows the first of these refs. */
  offer(refs: readonly string[]): void
  /** Draws the current ref again, with a new secret. It expires when it would have. */
  redraw(): void
  /** Removes the code and drops the remaining refs. */
  stop(): void
}

/**
 * The refs of one connection and their time on screen. The library's own timer is not used: it ends the connection
 * after the last ref, even while a passkey or a pairing code is in use.
 */
export function createQrCodes({ clock, alarms, id, show, usedUp }: QrCodesDeps): QrCodes {
  const ending = `qr ${id}`
  let left: readonly string[] = []
  let shown: { readonly ref: string; readonly expiresAt: Due } | undefined

  function next(lifetimeMs: number): void {
    const [ref, ...rest] = left
    shown = undefined
    if (ref === undefined) return usedUp()
    left = rest
    shown = { ref, expiresAt: dueIn(clock, lifetimeMs) }
    alarms.set(ending, shown.expiresAt.atMs, () => next(NEXT_QR_MS))
    show(ref, shown.expiresAt)
  }

  return {
    offer(refs) {
      left = refs
      next(FIRST_QR_MS)
    },
    redraw() {
      if (shown) show(shown.ref, shown.expiresAt)
    },
    stop() {
      alarms.clear(ending)
      left = []
      shown = undefined
    },
  }
}
