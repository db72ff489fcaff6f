import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/ids.ts'

/** The one call that a confirmation is for. */
interface BoundCall {
  /** Whose call it is: the id of a key. */
  readonly owner: string
  readonly tool: string
  readonly given: Readonly<Record<string, unknown>>
}

export interface Confirmations {
  /** What the client brings back beside the person's answer. */
  issue(call: BoundCall): string
  /** Takes it, once. @returns false when it was altered, taken before, is too old or was made for another call. */
  redeem(state: string, call: BoundCall): boolean
}

/** A person reads, thinks, asks somebody; longer than that, the world may have changed. */
const VALID_MS = 5 * 60_000

/**
 * Between question and answer the client holds what was asked, and the client is not trusted: the state is a MAC over
 * key, tool and arguments. Its secret lives as long as the process, so after a restart the person is asked again, and
 * what was taken needs to be remembered no longer than it would be valid.
 */
export function createConfirmations({ clock, random }: { clock: Pick<Clock, 'mono'>; random: Random }): Confirmations {
  const secret = random.bytes(32)
  const taken = new Map<string, number>()

  const mac = (nonce: string, expiresAt: number, { owner, tool, given }: BoundCall) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([nonce, expiresAt, owner, tool, argumentsHash(given).toString('base64url')]))
      .digest()

  const forgetOld = (now: number) => {
    for (const [nonce, expiresAt] of taken) if (expiresAt <= now) taken.delete(nonce)
  }

  return {
    issue(call) {
      const nonce = random.bytes(16).toString('base64url')
      const expiresAt = Math.ceil(clock.mono()) + VALID_MS
      return [nonce, expiresAt, mac(nonce, expiresAt, call).toString('base64url')].join('.')
    },
    redeem(state, call) {
      const [nonce = '', expiry = '', given = '', ...more] = state.split('.')
      const expiresAt = Number(expiry)
      const expected = mac(nonce, expiresAt, call).toString('base64url')
      // Compared as text: base64 has several spellings of the same bytes.
      const isOurs =
        more.length === 0 &&
        given.length === expected.length &&
        timingSafeEqual(Buffer.from(given), Buffer.from(expected)) &&
        String(expiresAt) === expiry
      const now = clock.mono()
      if (!isOurs || expiresAt <= now || taken.has(nonce)) return false
      forgetOld(now)
      taken.set(nonce, expiresAt)
      return true
    },
  }
}

/** The same for the same arguments in any order. `confirm` is how a call is agreed to, not what it does. */
export function argumentsHash({ confirm: _confirm, ...given }: Readonly<Record<string, unknown>>): Buffer {
  return createHash('sha256')
    .update(canonicalize(given) ?? '')
    .digest()
}
