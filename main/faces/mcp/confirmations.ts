import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/ids.ts'

/** The call that a confirmation belongs to. */
interface BoundCall {
  /** Id of the calling key. */
  readonly owner: string
  readonly tool: string
  readonly given: Readonly<Record<string, unknown>>
}

export interface Confirmations {
  /** Creates the state that the client returns with the person's answer. */
  issue(call: BoundCall): string
  /** Accepts a state once. @returns false if it was altered, already used, expired or issued for another call. */
  redeem(state: string, call: BoundCall): boolean
}

/** Enough for a person to decide, short enough that the situation has not changed. */
const VALID_MS = 5 * 60_000

/**
 * The untrusted client keeps the state between question and answer, so it is a MAC over key, tool and arguments. The
 * secret lives as long as the process: after a restart the person is asked again. Used states are kept until they expire.
 */
export function createConfirmations({ clock, random }: { clock: Pick<Clock, 'mono'>; random: Random }): Confirmations {
  const secret = random.bytes(32)
  const used = new Map<string, number>()

  const mac = (nonce: string, expiresAt: number, { owner, tool, given }: BoundCall) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([nonce, expiresAt, owner, tool, argumentsHash(given).toString('base64url')]))
      .digest()

  const pruneExpired = (now: number) => {
    for (const [nonce, expiresAt] of used) if (expiresAt <= now) used.delete(nonce)
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
      if (!isOurs || expiresAt <= now || used.has(nonce)) return false
      pruneExpired(now)
      used.set(nonce, expiresAt)
      return true
    },
  }
}

/** Independent of the order of arguments. Ignores `confirm`, which does not change what the call does. */
export function argumentsHash({ confirm: _confirm, ...given }: Readonly<Record<string, unknown>>): Buffer {
  return createHash('sha256')
    .update(canonicalize(given) ?? '')
    .digest()
}
