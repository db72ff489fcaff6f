import { createHash, createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto'
import { proto } from 'baileys'
import { expect, test } from 'vitest'
import {
  codeToCompare,
  commitmentOf,
  handoffKey,
  handoffProof,
  identityBytes,
  openRequest,
  prologuePayload,
  requestKey,
  sealRequest,
} from './passkey-crypto.ts'
import { createPasskey, requestOptions, verifyAssertion, type AssertionFlaws, type AssertionJson } from './webauthn.ts'

const filled = (hex: string, length = 32) => Buffer.alloc(length, hex, 'hex')
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const PKCS8_X25519 = Buffer.from('302e020100300506032b656e04220420', 'hex')
const privateKeyOf = (raw: Buffer) =>
  createPrivateKey({ key: Buffer.concat([PKCS8_X25519, raw]), format: 'der', type: 'pkcs8' })
const publicKeyOf = (raw: Buffer) =>
  createPublicKey(privateKeyOf(raw)).export({ format: 'der', type: 'spki' }).subarray(-32)

test('the arithmetic of linking with a passkey gives the values worked out beforehand', () => {
  const [companion, primary, nonce, primaryNonce, scanned] = ['11', '22', '33', '44', '55'].map((hex) =>
    filled(hex),
  ) as [Buffer, Buffer, Buffer, Buffer, Buffer]
  const publicKey = publicKeyOf(companion)
  const primaryPublic = publicKeyOf(primary)
  expect(publicKey.toString('hex')).toBe('7b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0f73f13')
  expect(primaryPublic.toString('hex')).toBe('0faa684ed28867b97f4a6a2dee5df8ce974e76b7018e3f22a1c4cf2678570f20')

  const side = { deviceType: proto.DeviceProps.PlatformType.CHROME, ref: 'TEST-REF' }
  const identity = identityBytes({ publicKey, ...side })
  expect(commitmentOf(identity, nonce).toString('hex')).toBe(
    '26a35b6c211fa40e7651537410da78b83587e17acae2aca8765dd4d17dd5799a',
  )
  const payload = prologuePayload(identity, nonce)
  expect([payload.length, sha256(payload)]).toEqual([
    84,
    '1e9a0b216a5c2fbb3bd4897cc5482cec96789cce4579ee07d122f35a13df27b5',
  ])
  expect(handoffKey(scanned).toString('hex')).toBe('573a1b8d099e43c0b9e9d4bf6bd2b96ccb89579b524177d296337a277bc8b513')
  expect(handoffProof(scanned, payload).toString('hex')).toBe(
    '1d68ce061f60da99aea7aea8f4b369c6c2acc070eadf340e027d3e65cbbbd8f1',
  )
  expect(codeToCompare(nonce, primaryPublic, primaryNonce)).toBe('PYSL-SH11')

  const shared = diffieHellman({
    privateKey: privateKeyOf(companion),
    publicKey: createPublicKey(privateKeyOf(primary)),
  })
  expect(shared.toString('hex')).toBe('9e004098efc091d4ec2663b4e9f5cfd4d7064571690b4bea97ab146ab9f35056')
  const key = requestKey(companion, primaryPublic, side)
  expect(key.toString('hex')).toBe('881d46c4667535aeae00ca3b3e540f9d581640f948698f37162fe7f882501a49')
  expect(requestKey(primary, publicKey, side)).toEqual(key)

  const request = { noiseKey: filled('66'), identity: filled('77'), secret: filled('88') }
  const sealed = sealRequest(key, request, filled('99', 12))
  expect([sealed.length, sha256(sealed)]).toEqual([
    134,
    '184dc83e22bbbea25740bd8ab180d1004751db70fc87fa892c9e585d86e8be79',
  ])
  expect(openRequest(key, sealed)).toEqual(request)
  expect(() => openRequest(requestKey(companion, primaryPublic, { ...side, ref: 'OTHER-REF' }), sealed)).toThrow()
})

const passkey = createPasskey()
const options = requestOptions()
const expected = { challenge: options.challenge, passkeys: [createPasskey(), passkey] }
const verifyJson = (assertion: unknown, credentialId = passkey.credentialId) =>
  verifyAssertion(Buffer.from(JSON.stringify(assertion)), credentialId, expected)

test('an assertion by a passkey of the account is taken, as the browser gives it and in its short form', () => {
  const whole = passkey.assert(options)
  const { id, rawId, type, response } = whole
  expect(() => verifyJson(whole)).not.toThrow()
  expect(() => verifyJson({ id, rawId, type, response })).not.toThrow()
  expect(() => verifyJson({ id, rawId, type, response: { ...response, userHandle: null } })).not.toThrow()
})

test.each<[string, AssertionFlaws]>([
  ['the challenge is not the one', { challenge: requestOptions().challenge }],
  ['the origin is not', { origin: 'https://web.whatsapp.com.example' }],
  ['the origin is not', { origin: 'https://whatsapp.com' }],
  ['in a frame of another origin', { crossOrigin: true }],
  ['not webauthn.get', { type: 'webauthn.create' }],
  ['the relying party is not', { rpId: 'web.whatsapp.com' }],
  ['the user was not present', { isUserPresent: false }],
  ['the user was not verified', { isUserVerified: false }],
  ['not by the registered key', { isForged: true }],
])('an assertion is refused with 401: %s', (reason, flaws) => {
  const refused = expect.objectContaining({ code: 401, message: expect.stringContaining(reason) })
  expect(() => verifyJson(passkey.assert(options, flaws))).toThrow(refused)
})

test('a passkey of another account is refused, under its own credential id and under a known one', () => {
  const other = createPasskey()
  const assertion = other.assert(options)
  const stolen = { ...assertion, id: passkey.credentialId.toString('base64url') }
  expect(() => verifyJson(assertion, other.credentialId)).toThrow('no passkey of this account')
  expect(() => verifyJson({ ...stolen, rawId: stolen.id })).toThrow('not by the registered key')
})

test.each<[string, (good: AssertionJson) => unknown]>([
  ['is not JSON', () => null],
  ['id and rawId', (good) => ({ ...good, rawId: `${good.rawId}AA` })],
  ['id and rawId', (good) => ({ ...good, id: `${good.id}=`, rawId: `${good.id}=` })],
  ['credential_id is not the id', (good) => ({ ...good, id: 'AAAA', rawId: 'AAAA' })],
  ['not public-key', (good) => ({ ...good, type: 'password' })],
  ['no response', ({ id, rawId, type }) => ({ id, rawId, type })],
  ['without padding', (good) => ({ ...good, response: { ...good.response, signature: 'AA==' } })],
  ['userHandle', (good) => ({ ...good, response: { ...good.response, userHandle: undefined } })],
  ['too long', (good) => ({ ...good, clientExtensionResults: { padding: 'x'.repeat(16_384) } })],
])('an assertion of another shape is refused with 400: %s', (reason, bent) => {
  const refused = expect.objectContaining({ code: 400, message: expect.stringContaining(reason) })
  expect(() => verifyJson(bent(passkey.assert(options)))).toThrow(refused)
})
