import { Check } from 'typebox/value'
import { PasskeyCredential } from '../../contract/instance.ts'
import { PASSKEY_PAGE } from '../../contract/passkey.ts'
import type { PasskeyRequest, SignOutcome } from '../../contract/window-bridge.ts'

/**
 * What a page of WhatsApp's site runs: it asks for the passkey and returns the outcome as JSON. It runs in the main world
 * of the page, because password managers answer only there.
 */
export const signingExpression = ({ options }: PasskeyRequest): string => `(async () => {
  if (location.href !== ${JSON.stringify(PASSKEY_PAGE)}) return JSON.stringify({ kind: 'unavailable' })
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)})
    const credential = await navigator.credentials.get({ publicKey })
    return JSON.stringify({ kind: 'signed', credential })
  } catch ({ name, message }) {
    const wasDismissed = name === 'NotAllowedError' && !/TLS/.test(message)
    return JSON.stringify({ kind: wasDismissed ? 'dismissed' : 'unavailable' })
  }
})()`

/** Checks what the expression returned, because the page it ran in is not ours. */
export function parseOutcome(given: unknown): SignOutcome {
  const { kind, credential } = Object(parseJson(given)) as { kind?: unknown; credential?: unknown }
  if (kind === 'signed' && Check(PasskeyCredential, credential)) return { kind, credential }
  return { kind: kind === 'dismissed' ? kind : 'unavailable' }
}

function parseJson(given: unknown): unknown {
  try {
    return JSON.parse(String(given))
  } catch {
    return undefined
  }
}

/** A page of the site, in any browser. */
export interface SigningPage {
  /** @returns the value of the expression in the page, once its promise is settled. */
  evaluate(expression: string): Promise<unknown>
  /** Resolves when the person closes it. */
  readonly gone: Promise<void>
  /** Closes the page and deletes its data. */
  close(): Promise<void>
}
