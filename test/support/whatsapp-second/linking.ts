import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { proto } from 'baileys'
import type { Applicant, Phone } from '../whatsapp/index.ts'
import { lidJid, numberJid, parseAddress } from './address.ts'
import { agree, applyCtr, hkdf, hmac, isSignedBy, newKeyPair, openGcm, signWith } from './bytes.ts'
import { createCompanion, streamError, type Companion, type Registration } from './companion.ts'
import type { Faults } from './faults.ts'
import type { Link, Visitor } from './link.ts'
import { bytesIn, childOf, errorOf, firstTag, node, nowSeconds, resultOf, SERVER, textIn, type Node } from './node.ts'
import type { Person } from './person.ts'
import { holdShortcake, SHORTCAKE_QUERIES, type Shortcake } from './shortcake.ts'

type RefreshTag = Parameters<Applicant['refresh']>[1]

const QR_START = 'https://wa.me/settings/linked_devices#'
const REFS = 6
/** After this time without linking, the connection is cut. */
const UNLINKED_MS = 210_000
const [ACCOUNT_SIGNS, DEVICE_SIGNS] = [Buffer.from([6, 0]), Buffer.from([6, 1])]
const CODE_ROUNDS = 131_072
const TYPING_MS = 20
const TYPING_TRIES = 25
const PLATFORM = /^[\w ]+ \((Mac OS|Windows|Linux|Ubuntu)\)$/

interface Qr {
  readonly ref: string
  readonly clientKey: Buffer
  readonly identity: Buffer
  readonly secret: Buffer
}

function readQr(text: string): Qr {
  const [ref = '', clientKey = '', identity = '', secret = ''] = text.replace(QR_START, '').split(',')
  const bytes = (base64: string) => Buffer.from(base64, 'base64')
  return { ref, clientKey: bytes(clientKey), identity: bytes(identity), secret: bytes(secret) }
}

/** A client that is not linked yet, on its connection. */
export interface Registrant extends Applicant, Visitor {
  readonly link: Link
  readonly registration: Registration
  readonly platform: number
  readonly hungUp: Promise<never>
  readonly codeRequest: CodeRequest | undefined
  shows(qr: Qr): boolean
  /** Whether this text is one of its codes, even if it is no longer connected. */
  hasShown(text: string): boolean
  isOutdated(secret: Buffer): boolean
  readonly isExpired: boolean
  ask(content: Node): Promise<Node>
  notify(type: string, content?: Node[], from?: string): Notice
  /** Resolves with what the client sends after it has read the phone’s half of a code. */
  nextFinish(): Promise<Node>
  hold(ceremony: Shortcake): void
}

export interface Notice {
  readonly id: string
  readonly type: string
  readonly acks: Record<string, string>[]
  /** Resolves with the first ack. */
  readonly acknowledged: Promise<Readonly<Record<string, string>>>
}

interface CodeRequest {
  readonly number: string
  readonly wrapped: Buffer
  readonly ref: string
}

export function createRegistrant(link: Link, faults: Faults): Registrant {
  const refs = Array.from({ length: REFS }, () => `2@${randomBytes(48).toString('base64')}`)
  const heard: Node[] = []
  const notices: Notice[] = []
  const acknowledge = new Map<string, (attrs: Readonly<Record<string, string>>) => void>()
  const answers = new Map<string, (answer: Node) => void>()
  const finishes: ((finish: Node) => void)[] = []
  const outdated = new Set<string>()
  let isExpired = false
  let codeRequest: CodeRequest | undefined
  let ceremony: Shortcake | undefined
  let lastId = 0
  let hangUp: (reason: Error) => void = () => {}
  const hungUp = new Promise<never>((_, reject) => (hangUp = reject))
  hungUp.catch(() => {})

  function hear(element: Node): void {
    heard.push(element)
    const { tag, attrs } = element
    if (tag === 'ack') {
      notices.find(({ id }) => id === attrs['id'])?.acks.push({ ...attrs })
      acknowledge.get(attrs['id'] ?? '')?.(attrs)
    } else if (tag === 'iq' && (attrs['type'] === 'result' || attrs['type'] === 'error')) {
      answers.get(attrs['id'] ?? '')?.(element)
    } else if (tag === 'iq') query(element)
  }

  function query(iq: Node): void {
    const what = firstTag(iq)
    if (what === 'link_code_companion_reg') return linkCode(iq)
    if (SHORTCAKE_QUERIES.has(what)) {
      if (ceremony) ceremony.hear(iq)
      else link.send(errorOf(iq, 400, 'bad-request'))
      return
    }
    link.send(what === 'ping' ? resultOf(iq) : errorOf(iq, 400, 'bad-request'))
  }

  function linkCode(iq: Node): void {
    const request = childOf(iq, 'link_code_companion_reg')
    if (request?.attrs['stage'] === 'companion_finish') {
      const waiting = finishes.shift()
      if (!waiting || textIn(request, 'link_code_pairing_ref') !== codeRequest?.ref)
        return link.send(errorOf(iq, 400, 'bad-request'))
      link.send(resultOf(iq))
      return waiting(request)
    }
    const number = parseAddress(request?.attrs['jid'])?.user
    const refused = faults.takePairingCode()
    if (refused !== undefined)
      return link.send(errorOf(iq, refused, refused === 429 ? 'rate-overlimit' : 'bad-request'))
    const wrapped = bytesIn(request, 'link_code_pairing_wrapped_companion_ephemeral_pub')
    const isWhole =
      wrapped.length === 80 &&
      bytesIn(request, 'companion_server_auth_key_pub').equals(link.clientKey) &&
      /^\d+$/.test(textIn(request, 'companion_platform_id')) &&
      PLATFORM.test(textIn(request, 'companion_platform_display'))
    if (number === undefined || !isWhole) return link.send(errorOf(iq, 400, 'bad-request'))
    codeRequest = { number, wrapped, ref: randomBytes(16).toString('base64') }
    const ref = node('link_code_pairing_ref', {}, codeRequest.ref)
    link.send(resultOf(iq, [node('link_code_companion_reg', { stage: 'companion_hello' }, [ref])]))
  }

  const registrant: Registrant = {
    ...{ link, heard, notices, hungUp, hear },
    registration: registrationOf(link),
    platform: platformOf(link),
    get isConnected() {
      return link.isOpen
    },
    get isExpired() {
      return isExpired
    },
    get codeRequest() {
      return codeRequest
    },
    get ceremony() {
      return ceremony
    },
    shows: ({ ref }) => link.isOpen && refs.includes(ref),
    hasShown: (text) => refs.includes(readQr(text).ref),
    isOutdated: (secret) => outdated.has(secret.toString('hex')),
    hold: (next) => void (ceremony = next),
    ask(content) {
      const id = `s${++lastId}`
      const answer = new Promise<Node>((done) => answers.set(id, done))
      link.send(node('iq', { from: SERVER, type: 'set', xmlns: 'md', id, t: nowSeconds() }, [content]))
      return Promise.race([answer, hungUp])
    },
    notify(type, content, from = SERVER) {
      const id = `${++lastId}${randomBytes(3).readUIntBE(0, 3)}`
      const acknowledged = new Promise<Readonly<Record<string, string>>>((done) => acknowledge.set(id, done))
      const notice = { id, type, acks: [], acknowledged: Promise.race([acknowledged, hungUp]) }
      notice.acknowledged.catch(() => {})
      notices.push(notice)
      link.send(node('notification', { type, from, id, t: nowSeconds() }, content))
      return notice
    },
    nextFinish: () => Promise.race([new Promise<Node>((done) => finishes.push(done)), hungUp]),
    refresh(shown?: string, tag: RefreshTag = 'companion_reg_refresh') {
      if (shown !== undefined) outdated.add(readQr(shown).secret.toString('hex'))
      registrant.notify('companion_reg_refresh', [node(tag)])
    },
    expireRefs: () => void (isExpired = true),
    welcomeTooEarly: () => link.send(node('success', { t: nowSeconds(), lid: lidJid('199999999999999', 9) })),
    drop: () => link.drop(),
    gone() {
      clearTimeout(cutting)
      hangUp(new Error('the client hung up'))
      ceremony?.abandon()
    },
  }
  const cutting = setTimeout(() => {
    if (ceremony && !ceremony.isOver) return
    link.send(node('xmlstreamend'))
    link.close()
  }, UNLINKED_MS).unref()
  void registrant
    .ask(
      node(
        'pair-device',
        {},
        refs.map((ref) => node('ref', {}, ref)),
      ),
    )
    .catch(() => {})
  return registrant
}

function registrationOf({ clientKey, payload }: Link): Registration {
  const { eIdent, eRegid, eSkeyId, eSkeyVal, eSkeySig } = payload.devicePairingData ?? {}
  const bytes = (value: Uint8Array | null | undefined) => Buffer.from(value ?? [])
  const identity = bytes(eIdent)
  const signedPreKey = { id: bytes(eSkeyId).readUIntBE(0, 3), key: bytes(eSkeyVal), signature: bytes(eSkeySig) }
  if (!isSignedBy(identity, Buffer.concat([Buffer.from([5]), signedPreKey.key]), signedPreKey.signature))
    throw new Error('the keys of a new client are not signed by it')
  return { clientKey, identity, registrationId: bytes(eRegid).readUInt32BE(), signedPreKey }
}

const platformOf = ({ payload }: Link): number =>
  proto.DeviceProps.decode(payload.devicePairingData?.deviceProps ?? new Uint8Array()).platformType ?? 0

export interface LinkingWorld {
  readonly faults: Faults
  registrants(): readonly Registrant[]
  complain(what: string): void
}

/** The functions with which a phone links clients to its account. */
export function linkingOf(person: Person, world: LinkingWorld): Pick<Phone, 'scan' | 'enter'> {
  return {
    async scan(text, { tamper } = {}) {
      const qr = readQr(text)
      const registrant = world.registrants().find((one) => one.shows(qr))
      if (!registrant || registrant.isExpired) throw new Error('this code is not valid any more')
      const { registration, link } = registrant
      const isOurs = registration.identity.equals(qr.identity) && link.clientKey.equals(qr.clientKey)
      if (!isOurs || registrant.isOutdated(qr.secret)) throw new Error('could not link the device')
      const { scansWith, refreshTag } = person.habits
      const wasTold = registrant.notices.some(({ type }) => type === 'companion_reg_refresh')
      if (scansWith === 'camera' && !wasTold) {
        registrant.refresh(text, refreshTag)
        throw new Error('could not link the device')
      }
      return conclude(person, registrant, await agreedSecret(person, registrant, qr.secret, world), world, tamper)
    },
    async enter(typedCode) {
      const registrant = await waitingFor(person.number, world)
      if (!registrant?.codeRequest) throw new Error('a code is entered in vain: nobody waits for it')
      const secret = await exchange(person, registrant, registrant.codeRequest, typedCode.replaceAll('-', ''))
      return conclude(person, registrant, await agreedSecret(person, registrant, secret, world), world)
    },
  }
}

/**
 * The client that shows a code for this number. It waits a little, because the test may type the code before the
 * client's request has arrived.
 */
async function waitingFor(number: string, world: LinkingWorld): Promise<Registrant | undefined> {
  for (let tries = 0; tries < TYPING_TRIES; tries++) {
    const found = world.registrants().findLast((one) => one.isConnected && one.codeRequest?.number === number)
    if (found) return found
    await pause(TYPING_MS)
  }
  return undefined
}

const agreedSecret = (person: Person, registrant: Registrant, secret: Buffer, world: LinkingWorld): Promise<Buffer> =>
  person.habits.passkey === 'none' ? Promise.resolve(secret) : holdShortcake(person, registrant, secret, world)

const codeKey = (code: string, salt: Buffer) => pbkdf2Sync(code, salt, CODE_ROUNDS, 32, 'sha256')

/** The phone’s part after its owner has typed a code. @returns the secret that both sides then share. */
async function exchange(person: Person, registrant: Registrant, request: CodeRequest, code: string): Promise<Buffer> {
  const { identity } = person.correspondent
  const { wrapped, ref } = request
  const theirs = applyCtr(codeKey(code, wrapped.subarray(0, 32)), wrapped.subarray(32, 48), wrapped.subarray(48))
  const ephemeral = newKeyPair()
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const ours = Buffer.concat([salt, iv, applyCtr(codeKey(code, salt), iv, ephemeral.public)])
  const finished = registrant.nextFinish()
  registrant.notify('link_code_companion_reg', [
    node('link_code_companion_reg', { stage: 'primary_hello' }, [
      node('link_code_pairing_wrapped_primary_ephemeral_pub', {}, ours),
      node('primary_identity_pub', {}, identity.public),
      node('link_code_pairing_ref', {}, ref),
    ]),
  ])
  const finish = await finished
  const bundle = bytesIn(finish, 'link_code_pairing_wrapped_key_bundle')
  const shared = agree(ephemeral.private, theirs)
  const key = hkdf(shared, 32, 'link_code_pairing_key_bundle_encryption_key', bundle.subarray(0, 32))
  const plain = openBundle(key, bundle)
  const companion = bytesIn(finish, 'companion_identity_public')
  const isSame = plain.subarray(0, 32).equals(companion) && companion.equals(registrant.registration.identity)
  if (!isSame || !plain.subarray(32, 64).equals(identity.public)) throw new Error('the keys are not those of this code')
  return hkdf(Buffer.concat([shared, agree(identity.private, companion), plain.subarray(64)]), 32, 'adv_secret')
}

function openBundle(key: Buffer, bundle: Buffer): Buffer {
  try {
    return openGcm(key, bundle.subarray(32, 44), bundle.subarray(44))
  } catch {
    throw new Error('this is not the code that is shown')
  }
}

type Tamper = NonNullable<Parameters<Phone['scan']>[1]>['tamper']

/** The phone signs the keys of the client, and the client signs them too. */
async function conclude(
  person: Person,
  registrant: Registrant,
  secret: Buffer,
  world: LinkingWorld,
  tamper?: Tamper,
): Promise<Companion> {
  const { identity } = person.correspondent
  const id = person.nextDevice()
  const keyIndex = id
  const details = proto.ADVDeviceIdentity.encode({
    ...{ rawId: randomBytes(4).readUInt32BE(), timestamp: nowSeconds(), keyIndex, accountType: 0, deviceType: 0 },
  }).finish()
  const { registration, link } = registrant
  const signed = Buffer.concat([ACCOUNT_SIGNS, details, registration.identity])
  const signing = tamper === 'account_signature' ? newKeyPair() : identity
  const account = { details, accountSignatureKey: identity.public, accountSignature: signWith(signing.private, signed) }
  const inner = proto.ADVSignedDeviceIdentity.encode(account).finish()
  const sum = hmac(tamper === 'hmac' ? randomBytes(32) : secret, inner)
  const outer = proto.ADVSignedDeviceIdentityHMAC.encode({ details: inner, hmac: sum }).finish()
  const answer = await registrant.ask(
    node('pair-success', {}, [
      node('device-identity', {}, Buffer.from(outer)),
      node('platform', { name: 'iphone' }),
      node('device', { jid: numberJid(person.number, id), lid: lidJid(person.lid, id) }),
      ...(person.habits.passkey === 'none'
        ? []
        : [node('jurisdiction', { value: 'EU' }), node('client-props', {}, Buffer.from([8, 1]))]),
    ]),
  )
  const sign = childOf(answer, 'pair-device-sign')
  const theirs = proto.ADVSignedDeviceIdentity.decode(bytesIn(sign, 'device-identity'))
  const claim = Buffer.concat([DEVICE_SIGNS, details, registration.identity, identity.public])
  if (!isSignedBy(registration.identity, claim, theirs.deviceSignature ?? new Uint8Array()))
    throw new Error('the client does not sign for itself')
  if (childOf(sign, 'device-identity')?.attrs['key-index'] !== String(keyIndex)) world.complain('another key index')
  if (theirs.accountSignatureKey?.length) world.complain('the account key was sent back')
  const companion = createCompanion(person.number, id, keyIndex, registration)
  person.companions.push(companion)
  finish(link, world)
  return companion
}

function finish(link: Link, { faults }: LinkingWorld): void {
  const fault = faults.takePasskey('pair-success')
  if (fault?.kind === 'cut') return link.drop()
  if (faults.withholdsRestart) return
  link.send(streamError(515))
  link.close()
}
