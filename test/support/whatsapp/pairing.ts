import { createHmac, createDecipheriv, createCipheriv, hkdfSync, randomBytes, randomInt } from 'node:crypto'
import { Curve, derivePairingCodeKey, proto } from 'baileys'
import * as curve from 'libsignal/src/curve.js'
import { until } from '../service-process.ts'
import type { FaultsInside } from './faults.ts'
import type { Introduction, Link } from './link.ts'
import { createLinkedDevice, type LinkedDevice, type Registration } from './linked-device.ts'
import type { PhoneInside } from './people.ts'
import { bytesOf, child, lidJid, numberJid, readAddress, seconds, stanza, type Stanza } from './stanza.ts'

/** A client that shows a QR code and waits for somebody to scan it. */
interface Applicant {
  hear(node: Stanza): void
  gone(): void
}

export interface Pairings {
  /** Greets a client that is linked to nobody yet. */
  greet(link: Link, introduction: Introduction): Applicant
  scan(phone: PhoneInside, qr: string, how?: { readonly tamper?: 'hmac' | 'account_signature' }): Promise<LinkedDevice>
  enter(phone: PhoneInside, code: string): Promise<LinkedDevice>
}

interface Waiting {
  readonly link: Link
  readonly registration: Registration
  readonly refs: readonly string[]
  readonly answers: Map<string, { resolve: (node: Stanza) => void; reject: (error: Error) => void }>
  code?: { readonly number: string; readonly wrappedKey: Buffer; readonly ref: string }
  finish?: (node: Stanza) => void
}

const REFS = 6
/** A client shows its code before the server has heard of it. */
const PATIENCE_MS = 500
const QR_PREFIX = 'https://wa.me/settings/linked_devices#'
const ACCOUNT_SIGNATURE = Buffer.from([6, 0])
const DEVICE_SIGNATURE = Buffer.from([6, 1])
const SALT_BYTES = 32

const hkdf = (input: Buffer, info: string, salt: Buffer = Buffer.alloc(0)) =>
  Buffer.from(hkdfSync('sha256', input, salt, info, 32))

export function createPairings(faults: Pick<FaultsInside, 'withholdsRestart'>): Pairings {
  const waiting = new Set<Waiting>()
  let lastId = 0

  function greet(link: Link, { clientKey, payload }: Introduction): Applicant {
    const one: Waiting = {
      link,
      registration: readRegistration(clientKey, payload),
      refs: Array.from({ length: REFS }, () => `2@${randomBytes(64).toString('base64')}`),
      answers: new Map(),
    }
    waiting.add(one)
    const refs = one.refs.map((ref) => stanza('ref', {}, Buffer.from(ref)))
    link.send(iq([stanza('pair-device', {}, refs)]))
    return {
      hear: (node) => hear(one, node),
      gone() {
        waiting.delete(one)
        for (const { reject } of one.answers.values()) reject(new Error('the client hung up while it was being linked'))
      },
    }
  }

  const iq = (content: Stanza[]) =>
    stanza('iq', { type: 'set', from: 's.whatsapp.net', id: `s${++lastId}`, xmlns: 'md' }, content)

  function hear(one: Waiting, node: Stanza): void {
    const { id = '', type } = node.attrs
    if (node.tag === 'iq' && type === 'result') return one.answers.get(id)?.resolve(node)
    const asked = child(node, 'link_code_companion_reg')
    if (asked !== undefined) return hearCode(one, node, asked)
    if (node.tag === 'iq') one.link.send(stanza('iq', { type: 'result', id, from: 's.whatsapp.net' }))
  }

  function hearCode(one: Waiting, node: Stanza, asked: Stanza): void {
    const answer = (content?: Stanza[]) =>
      one.link.send(stanza('iq', { type: 'result', id: node.attrs['id'], from: 's.whatsapp.net' }, content))
    if (asked.attrs['stage'] === 'companion_finish') {
      answer()
      return one.finish?.(asked)
    }
    const ref = randomBytes(16).toString('base64url')
    const wrappedKey = bytesOf(asked, 'link_code_pairing_wrapped_companion_ephemeral_pub')
    one.code = { number: readAddress(asked.attrs['jid'] ?? '').user, wrappedKey, ref }
    answer([
      stanza('link_code_companion_reg', { stage: 'companion_hello' }, [
        stanza('link_code_pairing_ref', {}, Buffer.from(ref)),
      ]),
    ])
  }

  /** Sends a stanza and waits for its answer. */
  function ask(one: Waiting, node: Stanza): Promise<Stanza> {
    return new Promise((resolve, reject) => {
      one.answers.set(node.attrs['id'] ?? '', { resolve, reject })
      one.link.send(node)
    })
  }

  async function link(one: Waiting, phone: PhoneInside, secret: Buffer, tamper?: string): Promise<LinkedDevice> {
    const place = placeFor(phone)
    const signed = signAccount(phone, one.registration.identity, place.keyIndex, tamper === 'account_signature')
    const details = Buffer.from(proto.ADVSignedDeviceIdentity.encode(signed).finish())
    const hmac = createHmac('sha256', tamper === 'hmac' ? randomBytes(32) : secret)
      .update(details)
      .digest()
    const identity = proto.ADVSignedDeviceIdentityHMAC.encode({ details, hmac }).finish()
    const success = stanza('pair-success', {}, [
      stanza('device-identity', {}, identity),
      stanza('device', { jid: numberJid(phone.number, place.id), lid: lidJid(phone.lid, place.id) }),
      stanza('platform', { name: 'android' }),
    ])
    const answer = await ask(one, { ...iq([success]), attrs: { ...iq([]).attrs, t: String(seconds()) } })
    demandSignature(answer, signed, one.registration.identity)
    const device = createLinkedDevice(phone, place, one.registration)
    phone.link(device)
    if (faults.withholdsRestart) return device
    one.link.send(stanza('stream:error', { code: '515' }))
    one.link.close()
    return device
  }

  const asking = (number: string) => [...waiting].find(({ code }) => code?.number === number)

  return {
    greet,
    async scan(phone, qr, how = {}) {
      const { ref, noiseKey, identity, secret } = readQr(qr)
      const one = [...waiting].find(({ refs }) => refs.includes(ref))
      if (one === undefined) throw new Error('this QR code is not valid any more')
      const { registration } = one
      if (!registration.clientKey.equals(noiseKey) || !registration.identity.equals(identity))
        throw new Error('this QR code shows other keys than the client has')
      return link(one, phone, secret, how.tamper)
    },
    async enter(phone, code) {
      const one = await until(`somebody asks for a code for ${phone.number}`, () => asking(phone.number), PATIENCE_MS)
      const secret = await agreeOnSecret(one, phone, code.replace('-', ''))
      return link(one, phone, secret)
    },
  }
}

function readRegistration(clientKey: Buffer, { devicePairingData: data }: proto.ClientPayload): Registration {
  if (!data?.eIdent || !data.eRegid || !data.eSkeyId || !data.eSkeyVal || !data.eSkeySig)
    throw new Error('the registration lacks keys')
  const signedPreKey = {
    id: Buffer.from(data.eSkeyId).readUIntBE(0, 3),
    key: Buffer.from(data.eSkeyVal),
    signature: Buffer.from(data.eSkeySig),
  }
  const registrationId = Buffer.from(data.eRegid).readUInt32BE(0)
  return { clientKey, identity: Buffer.from(data.eIdent), registrationId, signedPreKey }
}

function readQr(qr: string) {
  if (!qr.startsWith(QR_PREFIX)) throw new Error('this QR code does not link a device')
  const [ref = '', noiseKey = '', identity = '', secret = ''] = qr.slice(QR_PREFIX.length).split(',')
  const key = (base64: string) => Buffer.from(base64, 'base64')
  return { ref, noiseKey: key(noiseKey), identity: key(identity), secret: key(secret) }
}

/** The network counts devices per account and never gives a number twice. */
function placeFor(phone: PhoneInside) {
  const last = Math.max(10, ...phone.places)
  phone.places.push(last + 1)
  return { id: last + 1, keyIndex: phone.places.length }
}

function signAccount(phone: PhoneInside, companion: Buffer, keyIndex: number, isForged: boolean) {
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

/** The client proves that it holds the key it registered. */
function demandSignature(answer: Stanza, signed: ReturnType<typeof signAccount>, companion: Buffer): void {
  const content = bytesOf(child(answer, 'pair-device-sign'), 'device-identity')
  const { deviceSignature } = proto.ADVSignedDeviceIdentity.decode(content)
  const message = Buffer.concat([DEVICE_SIGNATURE, signed.details, companion, signed.accountSignatureKey])
  const key = Buffer.concat([Buffer.from([5]), companion])
  if (!deviceSignature || !curve.verifySignature(key, message, Buffer.from(deviceSignature)))
    throw new Error('the client’s signature is not valid')
}

/** Both sides know the code; from it and their keys they make a secret that nobody between them has. */
async function agreeOnSecret(one: Waiting, phone: PhoneInside, code: string): Promise<Buffer> {
  const { wrappedKey, ref } = one.code!
  const companionEphemeral = await unwrapKey(wrappedKey, code)
  const ephemeral = Curve.generateKeyPair()
  const finished = new Promise<Stanza>((resolve, reject) => {
    one.finish = resolve
    one.answers.set('finish', { resolve, reject })
  })
  one.link.send(
    stanza(
      'notification',
      { type: 'link_code_companion_reg', from: 's.whatsapp.net', id: `code-${ref}`, t: seconds() },
      [
        stanza('link_code_companion_reg', { stage: 'primary_hello' }, [
          stanza(
            'link_code_pairing_wrapped_primary_ephemeral_pub',
            {},
            await wrapKey(Buffer.from(ephemeral.public), code),
          ),
          stanza('primary_identity_pub', {}, Buffer.from(phone.signal.identity.public)),
          stanza('link_code_pairing_ref', {}, Buffer.from(ref)),
        ]),
      ],
    ),
  )
  const bundle = bytesOf(await finished, 'link_code_pairing_wrapped_key_bundle')
  const shared = Buffer.from(Curve.sharedKey(ephemeral.private, companionEphemeral))
  const random = openBundle(bundle, shared, one.registration.identity, phone)
  const identities = Buffer.from(Curve.sharedKey(phone.signal.identity.private, one.registration.identity))
  return hkdf(Buffer.concat([shared, identities, random]), 'adv_secret')
}

async function unwrapKey(wrapped: Buffer, code: string): Promise<Buffer> {
  const key = await derivePairingCodeKey(code, wrapped.subarray(0, SALT_BYTES))
  const decipher = createDecipheriv('aes-256-ctr', key, wrapped.subarray(SALT_BYTES, SALT_BYTES + 16))
  return Buffer.concat([decipher.update(wrapped.subarray(SALT_BYTES + 16)), decipher.final()])
}

async function wrapKey(key: Buffer, code: string): Promise<Buffer> {
  const salt = randomBytes(SALT_BYTES)
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-ctr', await derivePairingCodeKey(code, salt), iv)
  return Buffer.concat([salt, iv, cipher.update(key), cipher.final()])
}

/** @throws when the two sides do not know the same code. */
function openBundle(bundle: Buffer, shared: Buffer, companion: Buffer, phone: PhoneInside): Buffer {
  const salt = bundle.subarray(0, SALT_BYTES)
  const iv = bundle.subarray(SALT_BYTES, SALT_BYTES + 12)
  const sealed = bundle.subarray(SALT_BYTES + 12)
  const key = hkdf(shared, 'link_code_pairing_key_bundle_encryption_key', salt)
  const decipher = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(sealed.subarray(-16))
  let plain: Buffer
  try {
    plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  } catch {
    throw new Error('this is not the code the client shows')
  }
  const expected = Buffer.concat([companion, phone.signal.identity.public])
  if (!plain.subarray(0, 64).equals(expected)) throw new Error('the client vouches for other keys')
  return plain.subarray(64)
}
