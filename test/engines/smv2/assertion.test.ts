import { expect, test } from 'vitest'
import type { PasskeyCredential } from '../../../main/contract/instance.ts'
import { checkAssertion } from '../../../main/engines/smv2/assertion.ts'
import { browserCredential } from './browser-credential.ts'

const CHALLENGE = Buffer.alloc(32, 7).toString('base64url')

test('a browser’s passkey response is forwarded in its short form, without additional fields', () => {
  const credential = browserCredential(CHALLENGE)
  const { credentialId, json } = checkAssertion(credential, CHALLENGE)
  const { id, rawId, type, response } = credential
  expect(credentialId).toEqual(Buffer.from(rawId, 'base64url'))
  expect(JSON.parse(json.toString())).toEqual({ id, rawId, type, response })
})

test('padded and standard base64 are accepted, and a missing user handle is null', () => {
  const credential = browserCredential(CHALLENGE)
  const { signature } = credential.response
  const padded = Buffer.from(signature, 'base64url').toString('base64')
  const { userHandle: _, ...response } = credential.response
  const { json } = checkAssertion({ ...credential, response: { ...response, signature: padded } }, CHALLENGE)
  expect(JSON.parse(json.toString())).toMatchObject({ response: { signature, userHandle: null } })
})

const honest = browserCredential(CHALLENGE)
const changed = (response: Partial<PasskeyCredential['response']>): PasskeyCredential => ({
  ...honest,
  response: { ...honest.response, ...response },
})
const other = Buffer.alloc(32, 8).toString('base64url')

test.each<[string, PasskeyCredential, RegExp]>([
  ['of another type', { ...honest, type: 'password' }, /public-key/],
  ['with two ids', { ...honest, rawId: 'AAAA' }, /differ/],
  ['that is not base64url', changed({ signature: '§' }), /response\.signature is not base64url/],
  ['without client data', changed({ clientDataJSON: 'AAAA' }), /not JSON/],
  ['with client data that is nothing', changed({ clientDataJSON: Buffer.from('null').toString('base64url') }), /get/],
  ['of a registration', browserCredential(CHALLENGE, { clientData: { type: 'webauthn.create' } }), /credentials\.get/],
  ['to another challenge', browserCredential(other), /another challenge/],
  ['of another site', browserCredential(CHALLENGE, { clientData: { origin: 'https://whatsapp.com' } }), /another site/],
  ['of a frame in another site', browserCredential(CHALLENGE, { clientData: { crossOrigin: true } }), /another site/],
  ['with the passkey of another site', browserCredential(CHALLENGE, { rpId: 'web.whatsapp.com' }), /whatsapp\.com/],
  ['without a person', browserCredential(CHALLENGE, { flags: 0x04 }), /verify/],
  ['without verification', browserCredential(CHALLENGE, { flags: 0x01 }), /verify/],
  ['with too little of an authenticator', changed({ authenticatorData: 'AAAA' }), /whatsapp\.com/],
  ['larger than 16 KiB', changed({ userHandle: 'A'.repeat(20_000) }), /16 KiB/],
])('a passkey response %s is refused with an explanation', (_what, credential, message) => {
  const refused = { code: 'validation_error', message: expect.stringMatching(message) }
  expect(() => checkAssertion(credential, CHALLENGE)).toThrow(expect.objectContaining(refused))
})
