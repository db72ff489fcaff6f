import { randomBytes } from 'node:crypto'
import { proto, type BinaryNode } from 'baileys'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWhatsApp } from '../stand-in.ts'
import type { Applicant, Phone, WhatsApp } from './index.ts'
import { passkeyClient, type Bent, type PasskeyClient } from './passkey-client.ts'
import type { PasskeyFault, PasskeyQuery } from './passkey-faults.ts'
import type { Habits } from './people.ts'
import { rawClient } from './raw-client.ts'
import { child } from './stanza.ts'
import type { AssertionFlaws } from './webauthn.ts'

let whatsapp: WhatsApp
beforeAll(async () => {
  whatsapp = await startWhatsApp()
  whatsapp.takeRoute()
})
afterAll(() => whatsapp.close())

interface Scanned extends PasskeyClient {
  readonly shop: Phone
  readonly linking: ReturnType<Phone['scan']>
  readonly applicant: Applicant
}

let lastNumber = 12_025_550_300
const somebody = (habits: Partial<Habits> = {}) => whatsapp.phone(String(++lastNumber), { passkey: 'has', ...habits })

/** A client whose code was scanned by a phone that requires a passkey. */
async function scanned(bent: Bent = {}, habits: Partial<Habits> = {}): Promise<Scanned> {
  const shop = somebody(habits)
  const one = passkeyClient(bent)
  const qr = await one.client.qr()
  return { ...one, shop, linking: shop.scan(qr), applicant: whatsapp.applicant(qr) }
}

/** The same with a typed pairing code. */
async function typed(bent: Bent = {}): Promise<Scanned> {
  const shop = somebody()
  const one = passkeyClient(bent)
  await one.client.qr()
  const linking = shop.enter(await one.client.socket.requestPairingCode(shop.number))
  return { ...one, shop, linking, applicant: whatsapp.applicant() }
}

const answered = async (one: Scanned, flaws?: AssertionFlaws) =>
  one.answer(one.shop.passkey.assert(await one.options(), flaws))

/** Expects that the client is linked and can log in with its stored data. */
async function expectLinked({ linking, client, kept, shop }: Scanned): Promise<void> {
  const device = await linking
  expect(await client.closed()).toBe(515)
  const second = rawClient(kept)
  await second.open()
  await expect.poll(() => device.isOnline).toBe(true)
  expect(shop.linked).toEqual([device])
}

const ackCounts = ({ notices }: Applicant) => notices.map(({ type, acks }) => [type, acks.length])

test('a client links with a passkey by QR code, and each notification has one ack', async () => {
  const one = await scanned()
  const options = await one.options()
  expect(options).toMatchObject({ rpId: 'whatsapp.com', allowCredentials: [], userVerification: 'required' })
  expect(one.applicant.ceremony).toMatchObject({ options, hasProof: undefined, code: undefined })
  await answered(one)
  await expectLinked(one)
  expect(one.applicant.ceremony).toMatchObject({ hasProof: true, code: undefined })
  expect(ackCounts(one.applicant)).toEqual([
    ['passkey_prologue_request', 1],
    ['crsc_continuation', 1],
  ])
  const [request] = one.applicant.notices
  expect(request?.acks).toEqual([
    { id: request?.id, class: 'notification', type: 'passkey_prologue_request', to: '@s.whatsapp.net' },
  ])
})

test('a client links with a passkey by a typed code', async () => {
  const one = await typed()
  await answered(one)
  await expectLinked(one)
  expect(ackCounts(one.applicant)).toEqual([
    ['link_code_companion_reg', 1],
    ['passkey_prologue_request', 1],
    ['crsc_continuation', 1],
  ])
})

test('without a proof both sides show the same code, and the client goes on when it was compared', async () => {
  const one = await scanned({ isLate: true })
  await answered(one)
  const code = await one.code()
  expect(code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
  await expect.poll(() => one.applicant.ceremony?.code).toBe(code)
  expect(one.shop.linked).toEqual([])
  await one.confirm()
  await expectLinked(one)
  expect(one.applicant.ceremony?.hasProof).toBe(false)
})

test('a phone that compares shows the code though there is a proof, and links only if it is the same', async () => {
  const one = await scanned({}, { compares: true })
  await answered(one)
  await expect.poll(() => one.applicant.ceremony?.code).toBe(await one.code())
  expect(one.shop.linked).toEqual([])
  one.applicant.ceremony?.confirm(true)
  await expectLinked(one)

  const other = await scanned({}, { compares: true })
  await answered(other)
  other.applicant.ceremony?.confirm(false)
  await expect(other.linking).rejects.toThrow('another code')
  expect(other.shop.linked).toEqual([])
})

test('an account without a passkey links once its owner has made one, and one whose owner refuses never does', async () => {
  const one = await scanned({}, { passkey: 'creates' })
  await one.options()
  expect(() => one.shop.passkey).toThrow('no passkey')
  one.shop.createPasskey()
  await answered(one)
  await expectLinked(one)

  const other = await scanned({}, { passkey: 'refuses' })
  await answered(other)
  await other.client.end()
  await expect(other.linking).rejects.toThrow('hung up')
  expect(ackCounts(other.applicant)).toEqual([['passkey_prologue_request', 1]])
})

test.each<[string, AssertionFlaws]>([
  ['challenge', { challenge: randomBytes(32).toString('base64url') }],
  ['origin', { origin: 'http://127.0.0.1:8700' }],
  ['relying party', { rpId: 'example.com' }],
  ['user was not present', { isUserPresent: false }],
  ['user was not verified', { isUserVerified: false }],
  ['signature', { isForged: true }],
])('the server refuses an assertion with 401: %s', async (reason, flaws) => {
  const one = await scanned()
  await expect(answered(one, flaws)).rejects.toMatchObject({ data: 401 })
  await expect(one.linking).rejects.toThrow(reason)
  // The client cannot continue.
  await expect(answered(one)).rejects.toMatchObject({ data: 400 })
  expect(one.shop.linked).toEqual([])
})

test('the server refuses the passkey of another account', async () => {
  const one = await scanned()
  await expect(one.answer(somebody().passkey.assert(await one.options()))).rejects.toMatchObject({ data: 401 })
  await expect(one.linking).rejects.toThrow('no passkey of this account')
})

test.each<[string, Bent]>([
  ['credential_id', { credentialId: randomBytes(32) }],
  ['another ref', { companion: { ref: 'another' } }],
  ['another type of device', { companion: { deviceType: proto.DeviceProps.PlatformType.FIREFOX } }],
  ['not 32 bytes', { companion: { publicKey: randomBytes(33) } }],
  ['does not follow ref', { skipsRef: true }],
  ['not asked with type get', { asksForRef: { type: 'set' } }],
  ['in the namespace md', { asksForRef: { xmlns: 'encrypt' } }],
])('the server refuses a prologue with 400: %s', async (reason, bent) => {
  const one = await scanned(bent)
  await expect(answered(one)).rejects.toMatchObject({ data: 400 })
  await expect(one.linking).rejects.toThrow(reason)
})

test.each<[string, Bent]>([
  ['hand-off proof', { proofSecret: randomBytes(32) }],
  ['committed to', { nonce: randomBytes(32) }],
  ['cannot be opened', { requestKey: randomBytes(32) }],
  ['another Noise key', { request: { noiseKey: randomBytes(32) } }],
  ['another identity key', { request: { identity: randomBytes(32) } }],
  ['not 32 bytes', { request: { secret: randomBytes(16) } }],
  ['still the one', { keepsSecret: true }],
])('the phone goes no further, and the client is told nothing: %s', async (reason, bent) => {
  const one = await scanned(bent)
  await answered(one)
  await expect(one.linking).rejects.toThrow(reason)
  expect(one.refusals).toEqual([])
  expect(one.shop.linked).toEqual([])
})

test('a client that signs with another secret than it handed over is not linked', async () => {
  const one = await scanned({ request: { secret: randomBytes(32) } })
  await answered(one)
  expect(await one.client.closed()).toBe(500)
  await expect(one.linking).rejects.toThrow('hung up')
})

const QUERIES = [
  'passkey_request_options',
  'ref',
  'passkey_prologue',
  'companion_nonce',
  'encrypted_pairing_request',
] as const satisfies readonly PasskeyQuery[]
const CODES = [400, 401, 429, 500] as const

/** A client whose ceremony has this fault at one of its queries. */
async function faulty(fault: PasskeyFault): Promise<{ one: Scanned; failed: Promise<void> }> {
  if (fault.at === 'passkey_request_options')
    whatsapp.faults.onPasskey({ at: 'passkey_prologue_request', kind: 'options', options: 'absent' })
  whatsapp.faults.onPasskey(fault)
  const one = await scanned(fault.kind === 'unanswered' ? { patienceMs: 300 } : {})
  if (fault.at === 'ref' || fault.at === 'passkey_prologue')
    return { one, failed: expect(answered(one)).rejects.toThrow() }
  if (fault.at !== 'passkey_request_options') await answered(one)
  return { one, failed: expect.poll(() => one.refusals).toHaveLength(1) }
}

test.each(QUERIES.map((at, index) => [at, CODES[index % CODES.length] ?? 400] as const))(
  '%s is refused with %i, and nothing follows',
  async (at, code) => {
    const { one, failed } = await faulty({ at, kind: 'refused', code })
    await failed
    await expect(one.linking).rejects.toThrow(`${at} with ${code}`)
    expect(one.applicant.isConnected).toBe(true)
  },
)

test.each(QUERIES)('%s is never answered', async (at) => {
  const { one, failed } = await faulty({ at, kind: 'unanswered' })
  await failed
  expect(one.applicant.isConnected).toBe(true)
  await one.client.end()
  await expect(one.linking).rejects.toThrow('hung up')
})

test.each([...QUERIES, 'passkey_prologue_request', 'crsc_continuation'] as const)(
  'the connection is cut at %s',
  async (at) => {
    if (at === 'passkey_request_options')
      whatsapp.faults.onPasskey({ at: 'passkey_prologue_request', kind: 'options', options: 'absent' })
    whatsapp.faults.onPasskey({ at, kind: 'cut' })
    const one = await scanned()
    if (at !== 'passkey_request_options') await answered(one).catch(() => {})
    await expect(one.linking).rejects.toThrow('hung up')
    expect(await one.client.closed()).toBe(428)
    expect(one.applicant.isConnected).toBe(false)
  },
)

test('the connection is cut after the link, before the client is told to connect again', async () => {
  whatsapp.faults.onPasskey({ at: 'pair-success', kind: 'cut' })
  const one = await scanned()
  await answered(one)
  await one.linking
  expect(await one.client.closed()).toBe(428)
  await rawClient(one.kept).open()
})

test.each(['empty', 'not_json', 'oversized'] as const)('a client refuses options that are %s', async (options) => {
  whatsapp.faults.onPasskey({ at: 'passkey_prologue_request', kind: 'options', options })
  const one = await scanned()
  await expect(one.linking).rejects.toThrow('passkey_prologue_request with 487')
  expect(one.applicant.notices).toMatchObject([{ acks: [{ error: '487' }] }])
})

test('a client asks for the options where there are none, and refuses a nonce of 31 bytes', async () => {
  whatsapp.faults.onPasskey({ at: 'passkey_prologue_request', kind: 'options', options: 'absent' })
  const one = await scanned()
  await answered(one)
  await expectLinked(one)

  whatsapp.faults.onPasskey({ at: 'crsc_continuation', kind: 'short_nonce' })
  const other = await scanned()
  await answered(other)
  await expect(other.linking).rejects.toThrow('crsc_continuation with 487')
})

test('what a foreign sender says, what comes too early, and a text for a ref stop nothing', async () => {
  whatsapp.faults.onPasskey({ at: 'passkey_prologue_request', kind: 'foreign' })
  whatsapp.faults.onPasskey({ at: 'crsc_continuation', kind: 'foreign' })
  whatsapp.faults.onPasskey({ at: 'ref', kind: 'text' })
  const one = await scanned()
  const contents: unknown[] = []
  one.client.socket.ws.on('frame', (node: BinaryNode) => void contents.push(child(node, 'ref')?.content))
  await one.options()
  expect(one.asked).toHaveLength(1)
  one.applicant.ceremony?.continueTooEarly()
  one.applicant.refresh()
  one.applicant.expireRefs()
  await answered(one)
  await expectLinked(one)
  expect(contents).toContainEqual(expect.stringMatching(/^\d+$/))
  expect(ackCounts(one.applicant)).toEqual([
    ['passkey_prologue_request', 1],
    ['passkey_prologue_request', 1],
    ['crsc_continuation', 1],
    ['companion_reg_refresh', 1],
    ['crsc_continuation', 1],
    ['crsc_continuation', 1],
  ])
})

test('asked again, only the newest challenge is good, and the proof is still by the secret that was scanned', async () => {
  const one = await scanned()
  const first = await one.options()
  one.applicant.ceremony?.askAgain()
  await expect.poll(() => one.asked).toHaveLength(2)
  await answered(one)
  await expectLinked(one)

  const other = await scanned()
  const old = await other.options()
  expect(old.challenge).not.toBe(first.challenge)
  other.applicant.ceremony?.askAgain()
  await expect.poll(() => other.asked).toHaveLength(2)
  await expect(other.answer(other.shop.passkey.assert(old))).rejects.toMatchObject({ data: 401 })
  await expect(other.linking).rejects.toThrow('challenge')
})

test('a welcome before the link is heard as it was sent', async () => {
  const one = await scanned()
  await one.options()
  one.applicant.welcomeTooEarly()
  await one.client.open()
  expect(one.shop.linked).toEqual([])
})

test('a camera, then a passkey: the proof is by the secret that was drawn again', async () => {
  const shop = somebody({ scansWith: 'camera' })
  const one = passkeyClient()
  const qr = await one.client.qr()
  await expect(shop.scan(qr)).rejects.toThrow('could not link')
  one.kept.creds.advSecretKey = randomBytes(32).toString('base64')
  const linking = shop.scan(qr.split(',').with(3, one.kept.creds.advSecretKey).join(','))
  const applicant = whatsapp.applicant(qr)
  await answered({ ...one, shop, linking, applicant })
  await expectLinked({ ...one, shop, linking, applicant })
  expect(ackCounts(applicant)[0]).toEqual(['companion_reg_refresh', 1])
})

test('a query without a ceremony is refused', async () => {
  const one = passkeyClient()
  await one.client.qr()
  await expect(one.answer(somebody().passkey.assert({ challenge: 'AAAA' }))).rejects.toMatchObject({ data: 400 })
})

test.each([400, 429] as const)('a request for a code to type is refused with %i', async (code) => {
  whatsapp.faults.onPairingCode(code)
  const client = rawClient()
  await client.qr()
  const refused = new Promise((resolve) => client.socket.ws.on('CB:iq,type:error', resolve))
  const shown = await client.socket.requestPairingCode('12025550299')
  expect(await refused).toMatchObject({ content: [{ tag: 'error', attrs: { code: String(code) } }] })
  await expect(whatsapp.phone('12025550299').enter(shown)).rejects.toThrow('in vain')
})
