import type { Clock } from '../../kernel/clock.ts'
import type { QrState } from '../engine.ts'

/** The first code lives a minute, each of the next five 20 seconds (measured; the library has no word for it). */
const FIRST_CODE_MS = 60_000
const NEXT_CODE_MS = 20_000

const NO_CODE: QrState = { state: 'pending', text: null, pairingCode: null, expiresAtMs: null, attempt: 0 }

/** What a person who pairs a phone is shown, as it is at this moment. It lives in memory: after a restart it is worthless. */
export function createPairingView(clock: Pick<Clock, 'now'>) {
  let view = NO_CODE
  let codeFor: string | null = null

  return {
    current: (): QrState => view,
    begin(): void {
      view = NO_CODE
      codeFor = null
    },
    /** Another code to scan; one to type in lives on beside it. */
    show(text: string): { attempt: number; expiresAtMs: number } {
      const attempt = view.attempt + 1
      const expiresAtMs = clock.now() + (attempt === 1 ? FIRST_CODE_MS : NEXT_CODE_MS)
      view = { ...view, state: 'ready', text, expiresAtMs, attempt }
      return { attempt, expiresAtMs }
    },
    /** @param code of eight characters. */
    showCode(phone: string, code: string): void {
      codeFor = phone
      view = { ...view, pairingCode: `${code.slice(0, 4)}-${code.slice(4)}` }
    },
    /** Asked for again, it is the same code: another would make the one on screen worthless. */
    hasCodeFor: (phone: string): boolean => view.pairingCode !== null && codeFor === phone,
    expire(): void {
      view = { ...NO_CODE, state: 'expired', attempt: view.attempt }
      codeFor = null
    },
  }
}
