import type * as library from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import { checkCertificates } from './certificate.ts'
import { readContactSalts } from './contact-salt.ts'
import { quietConsole } from './quiet-console.ts'
import { tryOnCopies } from './ratchet.ts'
import { isSignedBy } from './signature.ts'

/**
 * @param isInit true: only the form of the values is checked.
 * @throws if the key, the message or the signature has the wrong form.
 */
type VerifySignature = (key: Uint8Array, message: Uint8Array, signature: Uint8Array, isInit?: boolean) => boolean

declare module 'libsignal' {
  /** Its declarations leave it out. */
  export const curve: { verifySignature: VerifySignature }
}

/** The client library of the protocol. Nothing outside this folder sees a type of it. */
export type Library = typeof library

interface LibraryDeps {
  readonly log: Log
  readonly clock: Pick<Clock, 'now'>
}

export type LoadLibrary = () => Promise<Library>

/**
 * Loads the library when the first instance needs it: it costs half a second and 40 MB, which a service without live
 * numbers need not pay. What is wrong with it as it comes is put right before anything can use it.
 */
export function createLoadLibrary(deps: LibraryDeps): LoadLibrary {
  let loading: Promise<Library> | undefined
  return () => (loading ??= load(deps))
}

/**
 * As it comes the library's check of a signature is true for every signature: it looks for an exception where the
 * encryption library returns a boolean. With that the certificate of the network and the account signature of a
 * pairing would mean nothing.
 */
async function load({ log, clock }: LibraryDeps): Promise<Library> {
  quietConsole(log)
  // The library keeps the 32 bytes of a key for as long as a line lives. Cut from a pool of 64 KiB, as Node has it, each
  // holds on to all of that: 80 KiB a line after pairing (measured).
  Buffer.poolSize = POOL_BYTES
  const { curve, SessionCipher } = await import('libsignal')
  checkFast(curve)
  tryOnCopies(SessionCipher)
  // Loaded after the line above, because it copies what is there at that moment to check messages to groups.
  const loaded = await import('baileys')
  loaded.Curve.verify = (key, message, signature) => {
    try {
      return isSignedBy(key, message, signature)
    } catch {
      // A field that the network left out is no value at all.
      return false
    }
  }
  checkCertificates(loaded, clock.now)
  readContactSalts(loaded)
  return loaded
}

/** The size of the pool in older versions of Node. */
const POOL_BYTES = 8 * 1_024

const fast = new WeakSet()

/** Leaves everything but the check itself to the encryption library. */
function checkFast(curve: { verifySignature: VerifySignature }): void {
  if (fast.has(curve)) return
  fast.add(curve)
  const shipped = curve.verifySignature
  curve.verifySignature = (key, message, signature, isInit = false) =>
    shipped(key, message, signature, true) && (isInit || isSignedBy(key, message, signature))
}
