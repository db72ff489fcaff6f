import { createHash, generateKeyPairSync, randomBytes, sign, verify, type KeyObject } from 'node:crypto'
import { demand } from './refused.ts'

/** The server's options for `navigator.credentials.get()`, as JSON. */
export interface RequestOptions {
  readonly challenge: string
  readonly timeout: number
  readonly rpId: string
  readonly allowCredentials: readonly unknown[]
  readonly userVerification: string
  readonly extensions: Readonly<Record<string, unknown>>
}

/** The result of `toJSON()` of a browser's credential. Bytes are base64url without padding. */
export interface AssertionJson {
  readonly id: string
  readonly rawId: string
  readonly type: string
  readonly response: {
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
    readonly userHandle: string | null
  }
  readonly authenticatorAttachment?: string
  readonly clientExtensionResults?: object
}

/** Deliberate errors in an assertion. */
export interface AssertionFlaws {
  readonly challenge?: string
  readonly origin?: string
  readonly type?: string
  readonly crossOrigin?: boolean
  readonly rpId?: string
  readonly isUserPresent?: boolean
  readonly isUserVerified?: boolean
  /** Signed with another key than the registered one. */
  readonly isForged?: boolean
}

/** A discoverable P-256 credential for the network's site, with its authenticator. */
export interface Passkey {
  readonly credentialId: Buffer
  readonly publicKey: KeyObject
  /** The assertion of a browser after the owner has confirmed. It is for the real site unless a flaw changes that. */
  assert(options: Pick<RequestOptions, 'challenge'>, flaws?: AssertionFlaws): AssertionJson
  /** This passkey in the format of `WebAuthn.addCredential` in the Chrome DevTools protocol; values are base64. */
  forVirtualAuthenticator(): Readonly<Record<'credentialId' | 'privateKey' | 'userHandle' | 'rpId', string>> & {
    readonly isResidentCredential: true
    readonly signCount: number
  }
}

const RP_ID = 'whatsapp.com'
const RP_ORIGIN = 'https://web.whatsapp.com'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
/** The size of the hash of the site's name, the flags and the counter. */
const AUTHENTICATOR_DATA_BYTES = 37
const LARGEST_ASSERTION_BYTES = 16_384

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest()
const signedPart = (authenticatorData: Buffer, clientData: Buffer) =>
  Buffer.concat([authenticatorData, sha256(clientData)])

export const requestOptions = (): RequestOptions => ({
  challenge: randomBytes(32).toString('base64url'),
  timeout: 600_000,
  rpId: RP_ID,
  allowCredentials: [],
  userVerification: 'required',
  extensions: { uvm: true },
})

export function createPasskey(): Passkey {
  const credentialId = randomBytes(32)
  const userHandle = randomBytes(16)
  const { publicKey, privateKey } = newKeys()
  return {
    credentialId,
    publicKey,
    assert(options, flaws = {}) {
      const { challenge = options.challenge, origin = RP_ORIGIN, type = 'webauthn.get', crossOrigin = false } = flaws
      const clientData = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }))
      const authenticatorData = authenticatorDataOf(flaws)
      const key = flaws.isForged ? newKeys().privateKey : privateKey
      const id = credentialId.toString('base64url')
      return {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: authenticatorData.toString('base64url'),
          signature: sign('sha256', signedPart(authenticatorData, clientData), key).toString('base64url'),
          userHandle: userHandle.toString('base64url'),
        },
        authenticatorAttachment: 'platform',
        clientExtensionResults: {},
      }
    },
    forVirtualAuthenticator: () => ({
      credentialId: credentialId.toString('base64'),
      privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
      userHandle: userHandle.toString('base64'),
      rpId: RP_ID,
      isResidentCredential: true,
      signCount: 0,
    }),
  }
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

function authenticatorDataOf({ rpId = RP_ID, isUserPresent = true, isUserVerified = true }: AssertionFlaws): Buffer {
  const flags = (isUserPresent ? USER_PRESENT : 0) | (isUserVerified ? USER_VERIFIED : 0)
  // The counter of a synchronized passkey is always 0.
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), Buffer.alloc(4)])
}

/**
 * Checks an assertion as the server does.
 * @param content UTF-8 JSON.
 * @param credentialId the id that the client sent with it.
 * @throws Refused with the reason.
 */
export function verifyAssertion(
  content: Buffer,
  credentialId: Buffer,
  expected: { readonly challenge: string; readonly passkeys: readonly Passkey[] },
): void {
  const { id, response } = readAssertion(content)
  demand(400, credentialId.equals(bytes(id)), 'credential_id is not the id of the assertion')
  const passkey = expected.passkeys.find((one) => one.credentialId.equals(credentialId))
  demand(401, passkey, 'no passkey of this account has this credential id')

  const clientData = bytes(response.clientDataJSON)
  const { type, challenge, origin, crossOrigin } = readJson(clientData)
  demand(401, type === 'webauthn.get', 'the type of the client data is not webauthn.get')
  demand(401, challenge === expected.challenge, 'the challenge is not the one that was sent')
  demand(401, origin === RP_ORIGIN, `the origin is not ${RP_ORIGIN}`)
  demand(401, crossOrigin !== true, 'the assertion was made in a frame of another origin')

  const authenticatorData = bytes(response.authenticatorData)
  demand(401, authenticatorData.length >= AUTHENTICATOR_DATA_BYTES, 'the authenticator data is too short')
  demand(401, authenticatorData.subarray(0, 32).equals(sha256(RP_ID)), `the relying party is not ${RP_ID}`)
  const flags = authenticatorData.readUInt8(32)
  demand(401, flags & USER_PRESENT, 'the user was not present')
  demand(401, flags & USER_VERIFIED, 'the user was not verified')
  const isSigned = verify(
    'sha256',
    signedPart(authenticatorData, clientData),
    passkey.publicKey,
    bytes(response.signature),
  )
  demand(401, isSigned, 'the signature is not by the registered key')
}

function readAssertion(content: Buffer): AssertionJson {
  demand(400, content.length <= LARGEST_ASSERTION_BYTES, 'the assertion is too long')
  const { id, rawId, type, response } = readJson(content)
  demand(400, isBase64url(id) && id === rawId, 'id and rawId are not the same base64url')
  demand(400, type === 'public-key', 'the type of the assertion is not public-key')
  demand(400, typeof response === 'object' && response !== null, 'the assertion has no response')
  const { clientDataJSON, authenticatorData, signature, userHandle } = response as Record<string, unknown>
  demand(
    400,
    isBase64url(clientDataJSON) && isBase64url(authenticatorData) && isBase64url(signature),
    'the response is not base64url without padding',
  )
  demand(400, userHandle === null || isBase64url(userHandle), 'userHandle is neither null nor base64url')
  return { id, rawId: id, type, response: { clientDataJSON, authenticatorData, signature, userHandle } }
}

function readJson(content: Buffer): Readonly<Record<string, unknown>> {
  let read: unknown
  try {
    read = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content))
  } catch {
    // The check below reports this.
  }
  demand(400, typeof read === 'object' && read !== null, 'the assertion is not JSON')
  return read as Readonly<Record<string, unknown>>
}

const bytes = (base64url: string) => Buffer.from(base64url, 'base64url')
const isBase64url = (value: unknown): value is string => typeof value === 'string' && /^[\w-]+$/.test(value)
