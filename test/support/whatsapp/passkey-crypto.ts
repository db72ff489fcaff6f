import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { bytesToCrockford, Curve, proto } from 'baileys'

/** The identity of a client that links with a passkey. The client commits to its serialized form. */
export interface CompanionIdentity {
  /** 32 bytes, without the leading 05. */
  readonly publicKey: Buffer
  readonly deviceType: proto.DeviceProps.PlatformType
  readonly ref: string
}

/** The keys that a client sends to the phone at the end. */
export interface PairingRequest {
  readonly noiseKey: Buffer
  readonly identity: Buffer
  readonly secret: Buffer
}

const IV_BYTES = 12
const TAG_BYTES = 16

const sha256 = (...parts: readonly Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
const hkdf = (input: Uint8Array, salt: Uint8Array | string, info: string) =>
  Buffer.from(hkdfSync('sha256', input, salt, info, 32))

export const identityBytes = (identity: CompanionIdentity): Buffer =>
  Buffer.from(proto.CompanionEphemeralIdentity.encode(identity).finish())

export const commitmentOf = (identity: Uint8Array, nonce: Uint8Array): Buffer => sha256(identity, nonce)

export function prologuePayload(companionEphemeralIdentity: Buffer, nonce: Buffer): Buffer {
  const commitment = { hash: commitmentOf(companionEphemeralIdentity, nonce) }
  return Buffer.from(proto.ProloguePayload.encode({ companionEphemeralIdentity, commitment }).finish())
}

/** @param secret the ADV secret that the phone saw: the one in the scanned QR code, or the one from the typed code. */
export const handoffKey = (secret: Buffer): Buffer => hkdf(secret, '', 'shortcake-passkey-handoff-v1')

/** Proves that the sender of the prologue is the client that the phone scanned. */
export const handoffProof = (secret: Buffer, payload: Uint8Array): Buffer =>
  createHmac('sha256', handoffKey(secret)).update(payload).digest()

/** The code that both sides display: `XXXX-XXXX`. */
export function codeToCompare(companionNonce: Buffer, primaryPublicKey: Buffer, primaryNonce: Buffer): string {
  const mask = sha256(companionNonce, primaryPublicKey)
  const code = bytesToCrockford(Buffer.from(primaryNonce.subarray(0, 5).map((byte, at) => byte ^ mask.readUInt8(at))))
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** The key with which the client encrypts its keys for the phone. */
export function requestKey(
  privateKey: Uint8Array,
  publicKey: Uint8Array,
  { deviceType, ref }: Pick<CompanionIdentity, 'deviceType' | 'ref'>,
): Buffer {
  const salt = `Companion Pairing ${deviceType} with ref ${ref}`
  return hkdf(Curve.sharedKey(privateKey, publicKey), salt, 'Pairing Information Encryption Key')
}

export function sealRequest(
  key: Buffer,
  { noiseKey, identity, secret }: PairingRequest,
  iv = randomBytes(IV_BYTES),
): Buffer {
  const request = { companionPublicKey: noiseKey, companionIdentityKey: identity, advSecret: secret }
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const sealed = [cipher.update(proto.PairingRequest.encode(request).finish()), cipher.final(), cipher.getAuthTag()]
  return Buffer.from(proto.EncryptedPairingRequest.encode({ encryptedPayload: Buffer.concat(sealed), iv }).finish())
}

/** @throws if it was encrypted with another key. */
export function openRequest(key: Buffer, content: Uint8Array): PairingRequest {
  const { encryptedPayload, iv } = proto.EncryptedPairingRequest.decode(content)
  if (iv?.length !== IV_BYTES || !encryptedPayload) throw new Error('the pairing request has no IV of 12 bytes')
  const sealed = Buffer.from(encryptedPayload)
  const decipher = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(sealed.subarray(-TAG_BYTES))
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
  const { companionPublicKey, companionIdentityKey, advSecret } = proto.PairingRequest.decode(plain)
  return {
    noiseKey: Buffer.from(companionPublicKey ?? []),
    identity: Buffer.from(companionIdentityKey ?? []),
    secret: Buffer.from(advSecret ?? []),
  }
}
