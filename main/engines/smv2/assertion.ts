import { createHash } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import type { PasskeyCredential } from '../../contract/instance.ts'
import { PASSKEY_ORIGIN } from '../../contract/passkey.ts'

/** The short form of the answer that WhatsApp's own client sends. */
export interface Assertion {
  readonly credentialId: Buffer
  /** UTF-8 JSON. */
  readonly json: Buffer
}

const ASSERTION_BYTES = 16 * 1024
const RP_ID_HASH = createHash('sha256').update('whatsapp.com').digest()
/** Hash of the site, flags, counter. */
const AUTHENTICATOR_BYTES = 37
/** User present, and user verified. */
const USER_FLAGS = 0x05

/**
 * Finds what the network would refuse, so that the person can correct it before it counts. The signature cannot
 * be checked: only the network has the public key.
 * @throws ApiError validation_error
 */
export function checkAssertion({ id, rawId, type, response }: PasskeyCredential, challenge: string): Assertion {
  if (type !== 'public-key') throw wrong('type must be "public-key"', 'Send what navigator.credentials.get returned.')
  const credentialId = bytesOf('rawId', rawId)
  if (!bytesOf('id', id).equals(credentialId)) throw wrong('id and rawId differ', 'Send the credential unchanged.')
  const clientData = bytesOf('response.clientDataJSON', response.clientDataJSON)
  checkClientData(clientData, challenge)
  const authenticatorData = bytesOf('response.authenticatorData', response.authenticatorData)
  checkAuthenticator(authenticatorData)
  const signature = bytesOf('response.signature', response.signature)
  const { userHandle } = response
  const text = (bytes: Buffer) => bytes.toString('base64url')
  const json = Buffer.from(
    JSON.stringify({
      ...{ id: text(credentialId), rawId: text(credentialId), type },
      response: {
        ...{ clientDataJSON: text(clientData), authenticatorData: text(authenticatorData), signature: text(signature) },
        userHandle: userHandle ? text(bytesOf('response.userHandle', userHandle)) : null,
      },
    }),
  )
  if (json.length > ASSERTION_BYTES) throw wrong('it is larger than 16 KiB', 'Send the credential of the browser.')
  return { credentialId, json }
}

function checkClientData(bytes: Buffer, challenge: string): void {
  const { type, challenge: signed, origin, crossOrigin } = clientDataIn(bytes)
  if (type !== 'webauthn.get') throw wrong('clientDataJSON is not of navigator.credentials.get', 'Sign the options.')
  if (typeof signed !== 'string' || !sameBytes(signed, challenge))
    throw wrong('it signs another challenge', 'Read the QR view again and sign its options.')
  if (origin !== PASSKEY_ORIGIN || crossOrigin === true)
    throw wrong('it was signed on another site', `Run navigator.credentials.get on a page of ${PASSKEY_ORIGIN}.`)
}

function clientDataIn(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(bytes.toString())) as Readonly<Record<string, unknown>>
  } catch {
    throw wrong('clientDataJSON is not JSON', 'Send the credential unchanged.')
  }
}

function checkAuthenticator(bytes: Buffer): void {
  if (bytes.length < AUTHENTICATOR_BYTES || !bytes.subarray(0, RP_ID_HASH.length).equals(RP_ID_HASH))
    throw wrong('the passkey is not one of whatsapp.com', 'Use the passkey of this WhatsApp account.')
  if (((bytes[RP_ID_HASH.length] ?? 0) & USER_FLAGS) !== USER_FLAGS)
    throw wrong('the passkey did not verify its owner', 'Unlock it with the fingerprint, face or PIN.')
}

function bytesOf(name: string, text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length === 0 || !/^[\w+/-]+={0,2}$/.test(text)) throw wrong(`${name} is not base64url`, 'Send toJSON().')
  return bytes
}

const sameBytes = (one: string, other: string) => Buffer.from(one, 'base64url').equals(Buffer.from(other, 'base64url'))

const wrong = (what: string, next: string) =>
  new ApiError('validation_error', `The credential cannot be used: ${what}. ${next}`).because('passkey_wrong')
