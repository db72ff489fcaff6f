import { randomInt } from 'node:crypto'
import { Curve, proto } from 'baileys'
import * as curve from 'libsignal/src/curve.js'
import type { PhoneInside } from './people.ts'
import { bytesOf, child, seconds, type Stanza } from './stanza.ts'

type SignedAccount = ReturnType<typeof signAccount>

const ACCOUNT_SIGNATURE = Buffer.from([6, 0])
const DEVICE_SIGNATURE = Buffer.from([6, 1])

/** The network numbers the devices of each account and never reuses a number. */
export function placeFor(phone: PhoneInside) {
  const last = Math.max(10, ...phone.places)
  phone.places.push(last + 1)
  return { id: last + 1, keyIndex: phone.places.length }
}

export function signAccount(phone: PhoneInside, companion: Buffer, keyIndex: number, isForged: boolean) {
  const details = proto.ADVDeviceIdentity.encode({
    rawId: randomInt(1, 2 ** 31),
    timestamp: seconds(),
    keyIndex,
    accountType: proto.ADVEncryptionType.E2EE,
    deviceType: proto.ADVEncryptionType.E2EE,
  }).finish()
  const { identity } = phone.signal
  const signer = isForged ? Curve.generateKeyPair() : identity
  return {
    details,
    accountSignatureKey: identity.public,
    accountSignature: Curve.sign(signer.private, Buffer.concat([ACCOUNT_SIGNATURE, details, companion])),
  }
}

/** Checks the signature with which the client proves that it has the private key of the registered identity. */
export function demandSignature(answer: Stanza, signed: SignedAccount, companion: Buffer): void {
  const content = bytesOf(child(answer, 'pair-device-sign'), 'device-identity')
  const { deviceSignature } = proto.ADVSignedDeviceIdentity.decode(content)
  const message = Buffer.concat([DEVICE_SIGNATURE, signed.details, companion, signed.accountSignatureKey])
  const key = Buffer.concat([Buffer.from([5]), companion])
  if (!deviceSignature || !curve.verifySignature(key, message, Buffer.from(deviceSignature)))
    throw new Error('the client’s signature is not valid')
}
