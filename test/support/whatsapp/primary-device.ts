import { randomBytes } from 'node:crypto'
import { Curve, proto } from 'baileys'
import type { Registration } from './linked-device.ts'
import { codeToCompare, commitmentOf, handoffProof, openRequest, requestKey } from './passkey-crypto.ts'

/** What a client says of itself before it knows the phone's keys, and the server passes on. */
export interface Prologue {
  readonly payload: Buffer
  readonly identity: Buffer
  readonly commitment: Buffer
  readonly publicKey: Buffer
  readonly deviceType: proto.DeviceProps.PlatformType
  readonly ref: string
  /** Absent when too much time has passed since the scan. */
  readonly proof: Buffer | undefined
}

/** The phone's half of linking with a passkey: it trusts neither the client nor the server between them. */
export interface PrimaryDevice {
  /** Its key and its nonce, serialised. */
  readonly ephemeralIdentity: Buffer
  /** @throws when the proof is not by the client that was scanned. */
  takePrologue(prologue: Prologue): void
  /** @returns the code to compare. @throws when it is not the nonce that was committed to. */
  takeNonce(nonce: Buffer): string
  /** @returns the new ADV secret. @throws when it is sealed under another key, or names other keys. */
  takeRequest(content: Buffer): Buffer
}

const KEY_BYTES = 32

/** @param secret the ADV secret that the phone saw. */
export function createPrimaryDevice(secret: Buffer, registration: Registration): PrimaryDevice {
  const { private: privateKey, public: publicKey } = Curve.generateKeyPair()
  const nonce = randomBytes(KEY_BYTES)
  let prologue: Prologue | undefined
  let isNonceKnown = false

  return {
    ephemeralIdentity: Buffer.from(proto.PrimaryEphemeralIdentity.encode({ publicKey, nonce }).finish()),
    takePrologue(next) {
      if (next.proof && !handoffProof(secret, next.payload).equals(next.proof))
        throw new Error('the hand-off proof is not made with the secret that the phone saw')
      prologue = next
    },
    takeNonce(companionNonce) {
      if (!prologue?.commitment.equals(commitmentOf(prologue.identity, companionNonce)))
        throw new Error('this nonce is not the one that was committed to')
      isNonceKnown = true
      return codeToCompare(companionNonce, Buffer.from(publicKey), nonce)
    },
    takeRequest(content) {
      if (!prologue || !isNonceKnown) throw new Error('the pairing request came before the nonce')
      const request = opened(requestKey(privateKey, prologue.publicKey, prologue), content)
      if (!request.noiseKey.equals(registration.clientKey)) throw new Error('the request names another Noise key')
      if (!request.identity.equals(registration.identity)) throw new Error('the request names another identity key')
      if (request.secret.length !== KEY_BYTES) throw new Error('the new ADV secret has not 32 bytes')
      if (request.secret.equals(secret)) throw new Error('the ADV secret is still the one that the phone saw')
      return request.secret
    },
  }
}

function opened(key: Buffer, content: Buffer) {
  try {
    return openRequest(key, content)
  } catch {
    throw new Error('the pairing request cannot be opened')
  }
}
