import type * as library from 'baileys'
import type { Log } from '../../kernel/log.ts'
import { quietConsole } from './quiet-console.ts'
import { tryOnCopies } from './ratchet.ts'

declare module 'libsignal' {
  /** Its declarations leave it out. */
  export const curve: {
    /** @param key with its type byte. @throws for a key, message or signature that is none. */
    verifySignature(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean
  }
}

/** The client library of the protocol. Nothing outside this folder sees a type of it. */
export type Library = typeof library

export type LoadLibrary = () => Promise<Library>

/**
 * Loads the library when the first instance needs it: it costs half a second and 40 MB, which a service without live
 * numbers need not pay. What is wrong with it as it comes is put right before anything can use it.
 */
export function createLoadLibrary(log: Log): LoadLibrary {
  let loading: Promise<Library> | undefined
  return () => (loading ??= load(log))
}

/**
 * As it comes the library's check of a signature is true for every signature: it looks for an exception where the
 * encryption library returns a boolean. With that the certificate of the network and the account signature of a
 * pairing would mean nothing.
 */
async function load(log: Log): Promise<Library> {
  quietConsole(log)
  const [loaded, { curve, SessionCipher }] = await Promise.all([import('baileys'), import('libsignal')])
  loaded.Curve.verify = (key, message, signature) => {
    try {
      return curve.verifySignature(loaded.generateSignalPubKey(key), message, signature)
    } catch {
      return false
    }
  }
  tryOnCopies(SessionCipher)
  return loaded
}
