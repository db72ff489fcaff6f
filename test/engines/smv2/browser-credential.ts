import { createHash, randomBytes } from 'node:crypto'
import type { PasskeyCredential } from '../../../main/contract/instance.ts'

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')

export interface CredentialParts {
  readonly clientData: Readonly<Record<string, unknown>>
  readonly rpId: string
  readonly flags: number
}

/** What a browser makes of options, `toJSON()` included. Its signature is one only in length. */
export function browserCredential(challenge: string, parts: Partial<CredentialParts> = {}): PasskeyCredential {
  const { clientData = {}, rpId = 'whatsapp.com', flags = 0x05 } = parts
  const origin = 'https://web.whatsapp.com'
  const id = base64url(randomBytes(16))
  const whole = { type: 'webauthn.get', challenge, origin, crossOrigin: false, ...clientData }
  const authenticatorData = Buffer.concat([
    createHash('sha256').update(rpId).digest(),
    Buffer.from([flags, 0, 0, 0, 0]),
  ])
  const extras = { authenticatorAttachment: 'platform', clientExtensionResults: {} }
  return {
    ...{ id, rawId: id, type: 'public-key', ...extras },
    response: {
      clientDataJSON: base64url(JSON.stringify(whole)),
      authenticatorData: base64url(authenticatorData),
      signature: base64url(randomBytes(70)),
      userHandle: base64url('owner'),
    },
  }
}
