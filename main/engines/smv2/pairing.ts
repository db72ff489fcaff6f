import type { Clock } from '../../kernel/clock.ts'
import { dueIn, type Due } from '../../kernel/due.ts'
import type { QrState } from '../engine.ts'
import { ALL_QR_MS } from './qr-codes.ts'

/** How long a phone accepts a pairing code. */
const PAIRING_CODE_MS = 180_000

const NO_CODE: QrState = { state: 'pending', text: null, pairingCode: null, expiresAtMs: null, attempt: 0 }

/** The codes a person can pair with now. Kept in memory only: they are worthless after a restart. */
export function createPairingView(clock: Pick<Clock, 'now' | 'mono' | 'movedMs'>) {
  let view = NO_CODE
  /** When what `view` shows expires. */
  let expiresAt: Due | null = null
  let codeFor: string | null = null
  let codeEndsMono = 0
  /** When the last code ends, counted from the first one shown since somebody asked to pair; null: none was shown. */
  let endsMono: number | null = null

  /** The connection was lost, and its codes with it. The time to pair keeps running. */
  function beginAgain(): void {
    view = NO_CODE
    expiresAt = null
    codeFor = null
    codeEndsMono = 0
  }

  return {
    current: (): QrState => ({ ...view, expiresAtMs: expiresAt?.atMs ?? null }),
    beginAgain,
    /** Somebody asked to pair. */
    begin(): void {
      beginAgain()
      endsMono = null
    },
    /** Shows the next QR code. A pairing code stays valid beside it. */
    show(text: string, until: Due): { attempt: number; expiresAtMs: number } {
      const attempt = view.attempt + 1
      endsMono ??= clock.mono() + ALL_QR_MS
      view = { ...view, state: 'ready', text, attempt }
      expiresAt = until
      return { attempt, expiresAtMs: until.atMs }
    },
    /** The passkey is asked for: no code is of any use until that has ended. */
    freeze(): void {
      view = { ...NO_CODE, attempt: view.attempt }
      expiresAt = null
      codeFor = null
      codeEndsMono = 0
    },
    /** @param code eight characters. */
    showCode(phone: string, code: string): void {
      codeFor = phone
      codeEndsMono = clock.mono() + PAIRING_CODE_MS
      view = { ...view, pairingCode: `${code.slice(0, 4)}-${code.slice(4)}` }
    },
    /** Asked for again, it is the same code: a new one would invalidate the one on screen. */
    hasCodeFor: (phone: string): boolean => view.pairingCode !== null && codeFor === phone,
    /**
     * The last QR code has ended.
     * @returns how long the pairing code is still valid; 0: there is none, and pairing is over.
     */
    endQrCodes(): number {
      const leftMs = Math.max(codeEndsMono - clock.mono(), 0)
      if (leftMs > 0) {
        view = { ...view, text: null }
        expiresAt = dueIn(clock, Math.ceil(leftMs))
      } else endsMono = clock.mono()
      return leftMs
    },
    /** Every code has ended: only a person who asks again starts another pairing. */
    isOver: (): boolean => endsMono !== null && clock.mono() >= Math.max(endsMono, codeEndsMono),
    expire(): void {
      view = { ...NO_CODE, state: 'expired', attempt: view.attempt }
      expiresAt = null
      codeFor = null
      codeEndsMono = 0
      endsMono = null
    },
  }
}
