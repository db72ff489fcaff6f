import {
  createCipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
} from 'node:crypto'
import type { Library } from './library.ts'

/**
 * The arithmetic of linking with a passkey, as WhatsApp's own clients do it ("Shortcake"): both sides commit to ephemeral
 * keys, and derive a code to compare and a key for what is sent last.
 */

type Proto = Pick<Library, 'proto'>

export const KEY_BYTES = 32
export const IV_BYTES = 12

/** DER headers of raw X25519 keys. */
const PRIVATE_HEADER = Buffer.from('302e020100300506032b656e04220420', 'hex')
const PUBLIC_HEADER = Buffer.from('302a300506032b656e032100', 'hex')

const privateKey = (key: Uint8Array) =>
  createPrivateKey({ key: Buffer.concat([PRIVATE_HEADER, key]), format: 'der', type: 'pkcs8' })

export const publicKeyOf = (key: Uint8Array): Buffer =>
  createPublicKey(privateKey(key)).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES)

/** @throws for a public key of low order. */
const sharedSecret = (ours: Uint8Array, theirs: Uint8Array): Buffer =>
  diffieHellman({
    privateKey: privateKey(ours),
    publicKey: createPublicKey({ key: Buffer.concat([PUBLIC_HEADER, theirs]), format: 'der', type: 'spki' }),
  })

const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest()

const derive = (input: Uint8Array, salt: string, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', input, salt, info, KEY_BYTES))

/** How this device identifies itself in one attempt. */
export interface CompanionIdentity {
  readonly publicKey: Uint8Array
  /** `DeviceProps.PlatformType`, the same as in the registration. */
  readonly deviceType: number
  readonly ref: string
}

/** The message that opens an attempt: who this device is, and a commitment to its nonce. */
export function prologueOf({ proto }: Proto, identity: CompanionIdentity, nonce: Uint8Array): Buffer {
  const { CompanionEphemeralIdentity, CompanionCommitment, ProloguePayload } = proto
  const companionEphemeralIdentity = CompanionEphemeralIdentity.encode(identity).finish()
  const hash = sha256(companionEphemeralIdentity, nonce)
  const commitment = CompanionCommitment.create({ hash })
  return Buffer.from(ProloguePayload.encode({ companionEphemeralIdentity, commitment }).finish())
}

/** @param secret the one the phone got from the QR code or the pairing code. */
export const handoffKeyOf = (secret: Uint8Array): Buffer => derive(secret, '', 'shortcake-passkey-handoff-v1')

/** Proves that this is the device whose code was scanned, so that nobody has to compare codes. */
export const handoffProofOf = (handoffKey: Uint8Array, prologue: Uint8Array): Buffer =>
  createHmac('sha256', handoffKey).update(prologue).digest()

interface Primary {
  readonly publicKey: Uint8Array
  readonly nonce: Uint8Array
}

const CODE_BYTES = 5

/** The code that the phone and this side both show. @returns `XXXX-XXXX`. */
export function comparisonCodeOf(
  { bytesToCrockford }: Pick<Library, 'bytesToCrockford'>,
  { publicKey, nonce }: Primary,
  companionNonce: Uint8Array,
): string {
  const mask = sha256(companionNonce, publicKey)
  const bytes = Buffer.from(nonce.subarray(0, CODE_BYTES)).map((byte, i) => byte ^ (mask[i] ?? 0))
  const code = bytesToCrockford(Buffer.from(bytes))
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** @throws if the public key is invalid. */
export function pairingKeyOf(
  ours: Uint8Array,
  { publicKey }: Pick<Primary, 'publicKey'>,
  { deviceType, ref }: Pick<CompanionIdentity, 'deviceType' | 'ref'>,
): Buffer {
  const shared = sharedSecret(ours, publicKey)
  const key = derive(shared, `Companion Pairing ${deviceType} with ref ${ref}`, 'Pairing Information Encryption Key')
  shared.fill(0)
  return key
}

export interface DeviceKeys {
  /** Noise static. */
  readonly companionPublicKey: Uint8Array
  readonly companionIdentityKey: Uint8Array
  readonly advSecret: Uint8Array
}

/** The keys of this device, encrypted for the phone. */
export function sealedPairingRequest({ proto }: Proto, keys: DeviceKeys, key: Uint8Array, iv: Uint8Array): Buffer {
  const plain = proto.PairingRequest.encode(keys).finish()
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const encryptedPayload = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return Buffer.from(proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish())
}
