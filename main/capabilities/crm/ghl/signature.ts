import { createPublicKey, verify, type KeyObject } from 'node:crypto'

/** Bytes before the 32 bytes of an Ed25519 key in SPKI form (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex')
const SIGNATURE_LENGTH = 64

/**
 * A public key as HighLevel shows it: PEM, or its bytes in base64 or hex, with or without the SPKI header.
 * @returns undefined if it is not a key.
 */
export function readPublicKey(text: string): KeyObject | undefined {
  const body = text.replaceAll(/-----[A-Z ]+-----|\s/g, '')
  const bytes = /^[0-9a-f]{64}$/i.test(body) ? Buffer.from(body, 'hex') : Buffer.from(body, 'base64')
  const der = bytes.length === 32 ? Buffer.concat([SPKI_HEAD, bytes]) : bytes
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ed25519' ? key : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether the body was signed with the key. The official client's middleware lets a body without a signature pass, so
 * this one is used instead.
 * @param signature of the header `x-ghl-signature`: base64.
 * @param body the exact bytes; re-serialised JSON would not verify.
 */
export function isSigned(key: KeyObject, signature: string, body: Buffer): boolean {
  const bytes = Buffer.from(signature, 'base64')
  return bytes.length === SIGNATURE_LENGTH && verify(null, body, key, bytes)
}
