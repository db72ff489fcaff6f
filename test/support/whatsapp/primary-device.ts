import { randomBytes } from 'node:crypto'
import { Curve, proto } from 'baileys'
import type { Registration } from './linked-device.ts'
import { codeToCompare, commitmentOf, handoffProof, openRequest, requestKey } from './passkey-crypto.ts'
import type { Prologue } from './passkey-stanzas.ts'
import type { PhoneInside } from './people.ts'

/**
 * The phone's part of linking with a passkey. It trusts neither the client nor the server. If it finds an error, it
 * stops without telling them.
 */
export interface PrimaryDevice {
  /** Its serialized key and nonce. */
  readonly ephemeralIdentity: Buffer
  /** The code that it displays; undefined while there is nothing to compare. */
  readonly code: string | undefined
  /** The owner has compared the code. */
  confirm(isSame: boolean): void
  /** @returns whether the owner continues. @throws if the proof is not from the scanned client. */
  takePrologue(prologue: Prologue): boolean
  /** @throws if it is not the nonce of the commitment. */
  takeNonce(nonce: Buffer): void
  /** @returns the new ADV secret. @throws if it is encrypted with another key, or contains other keys. */
  takeRequest(content: Buffer): Promise<Buffer>
}

const KEY_BYTES = 32

/** @param secret the ADV secret that the phone saw. */
export function createPrimaryDevice(phone: PhoneInside, secret: Buffer, registration: Registration): PrimaryDevice {
  const { private: privateKey, public: publicKey } = Curve.generateKeyPair()
  const nonce = randomBytes(KEY_BYTES)
  const comparison = Promise.withResolvers<boolean>()
  let prologue: Prologue | undefined
  let companionNonce: Buffer | undefined

  return {
    ephemeralIdentity: Buffer.from(proto.PrimaryEphemeralIdentity.encode({ publicKey, nonce }).finish()),
    get code() {
      if (companionNonce === undefined || (prologue?.proof && !phone.habits.compares)) return undefined
      return codeToCompare(companionNonce, Buffer.from(publicKey), nonce)
    },
    confirm: comparison.resolve,
    takePrologue(next) {
      if (next.proof && !handoffProof(secret, next.payload).equals(next.proof))
        throw new Error('the hand-off proof is not made with the secret that the phone saw')
      prologue = next
      return phone.habits.passkey !== 'refuses'
    },
    takeNonce(next) {
      if (!prologue?.commitment.equals(commitmentOf(prologue.identity, next)))
        throw new Error('this nonce is not the one that was committed to')
      companionNonce = next
    },
    async takeRequest(content) {
      if (!prologue || !companionNonce) throw new Error('the pairing request came before the nonce')
      const request = opened(requestKey(privateKey, prologue.publicKey, prologue), content)
      if (!request.noiseKey.equals(registration.clientKey)) throw new Error('the request names another Noise key')
      if (!request.identity.equals(registration.identity)) throw new Error('the request names another identity key')
      if (request.secret.length !== KEY_BYTES) throw new Error('the new ADV secret has not 32 bytes')
      if (request.secret.equals(secret)) throw new Error('the ADV secret is still the one that the phone saw')
      if (phone.habits.compares && !(await comparison.promise)) throw new Error('the phone’s owner saw another code')
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
