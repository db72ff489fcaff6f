import { randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import type { FaultsInside } from './faults.ts'
import type { Introduction, Link } from './link.ts'
import type { Registration } from './linked-device.ts'
import type { Ceremony, CeremonyInside } from './passkey-ceremony.ts'
import { isPasskeyQuery } from './passkey-faults.ts'
import { readQr, type QrFields } from './qr-text.ts'
import { bytesOf, child, errorTo, firstTag, readAddress, seconds, stanza, type Stanza } from './stanza.ts'

/** A notification to a client that is not linked yet. */
interface Notice {
  readonly id: string
  readonly type: string
  /** The attributes of its acks. A client must send exactly one. */
  readonly acks: readonly Readonly<Record<string, string>>[]
}

export interface NoticeInside extends Notice {
  readonly acks: Readonly<Record<string, string>>[]
  /** Resolves with the first ack. */
  readonly acknowledged: Promise<Readonly<Record<string, string>>>
}

/** A client that is not linked yet: it shows a QR code, or requests a pairing code. There is one per connection. */
export interface Applicant {
  readonly isConnected: boolean
  /** Everything that the client sent, oldest first. */
  readonly heard: readonly Stanza[]
  /** Every notification that was sent to it, oldest first. */
  readonly notices: readonly Notice[]
  /**
   * Tells the client to create a new QR code with a new secret.
   * @param shown the text of the current code, with which phones can no longer link.
   */
  refresh(shown?: string, tag?: RefreshTag): void
  /** Makes its QR codes too old to be scanned. A ceremony that has begun continues. */
  expireRefs(): void
  /** Its linking with a passkey; undefined until one is requested. */
  readonly ceremony: Ceremony | undefined
  /** Sends a login greeting although the client is not linked. Clients must ignore it. */
  welcomeTooEarly(): void
  /** Cuts its connection. */
  drop(): void
}

/** The two names of the notification that makes a client create a new QR code. */
export type RefreshTag = 'companion_reg_refresh' | 'pair-device-rotate-qr'

/** Adds what only the simulated network uses. */
export interface ApplicantInside extends Applicant {
  ceremony: CeremonyInside | undefined
  readonly deviceType: proto.DeviceProps.PlatformType
  readonly link: Link
  readonly registration: Registration
  /** Its request for a pairing code. */
  readonly codeRequest: CodeRequest | undefined
  /** Whether this QR code belongs to this client. */
  shows(qr: QrFields): boolean
  /** Whether its codes are too old to be scanned. */
  readonly isExpired: boolean
  /** Whether the client was told to replace this code. */
  isOutdated(qr: QrFields): boolean
  /** Sends an `iq` and waits for its answer. */
  ask(content: Stanza[], attributes?: Readonly<Record<string, string | number>>): Promise<Stanza>
  notify(type: string, content?: Stanza[], from?: string): NoticeInside
  /** Resolves with what the client sends after it has read the phone's half of a pairing code. */
  finish(): Promise<Stanza>
  hear(node: Stanza): void
  gone(): void
}

export interface CodeRequest {
  readonly number: string
  readonly wrappedKey: Buffer
  readonly ref: string
}

interface Awaited {
  readonly resolve: (node: Stanza) => void
  readonly reject: (error: Error) => void
}

const REFS = 6
const HUNG_UP = 'the client hung up while it was being linked'

let lastId = 0

export function createApplicant(
  link: Link,
  { clientKey, payload }: Introduction,
  faults: Pick<FaultsInside, 'pairingCodeRefusal'>,
): ApplicantInside {
  const awaited = new Map<string, Awaited>()
  const refs = Array.from({ length: REFS }, () => `2@${randomBytes(64).toString('base64')}`)
  const outdated = new Set<string>()
  const heard: Stanza[] = []
  const notices: NoticeInside[] = []
  const acknowledging = new Map<string, (ack: Readonly<Record<string, string>>) => void>()
  let codeRequest: CodeRequest | undefined
  let isExpired = false

  const answerOf = (id: string) => new Promise<Stanza>((resolve, reject) => void awaited.set(id, { resolve, reject }))
  const iq = (content: Stanza[], attributes = {}) =>
    stanza('iq', { type: 'set', from: 's.whatsapp.net', id: `s${++lastId}`, xmlns: 'md', ...attributes }, content)

  function hearAck(attributes: Readonly<Record<string, string>>): void {
    const { id = '' } = attributes
    notices.find((notice) => notice.id === id)?.acks.push(attributes)
    acknowledging.get(id)?.(attributes)
  }

  function hearPasskeyQuery(node: Stanza): void {
    if (applicant.ceremony) return applicant.ceremony.hear(node)
    link.send(errorTo(node, 400))
  }

  function hearCode(node: Stanza, asked: Stanza): void {
    const answer = (content?: Stanza[]) =>
      link.send(stanza('iq', { type: 'result', id: node.attrs['id'], from: 's.whatsapp.net' }, content))
    if (asked.attrs['stage'] === 'companion_finish') {
      answer()
      return awaited.get('finish')?.resolve(asked)
    }
    const refusal = faults.pairingCodeRefusal()
    if (refusal !== undefined) return link.send(errorTo(node, refusal))
    const ref = randomBytes(16).toString('base64url')
    const wrappedKey = bytesOf(asked, 'link_code_pairing_wrapped_companion_ephemeral_pub')
    codeRequest = { number: readAddress(asked.attrs['jid'] ?? '').user, wrappedKey, ref }
    answer([
      stanza('link_code_companion_reg', { stage: 'companion_hello' }, [
        stanza('link_code_pairing_ref', {}, Buffer.from(ref)),
      ]),
    ])
  }

  link.send(
    iq([
      stanza(
        'pair-device',
        {},
        refs.map((ref) => stanza('ref', {}, Buffer.from(ref))),
      ),
    ]),
  )
  const applicant: ApplicantInside = {
    link,
    registration: readRegistration(clientKey, payload),
    deviceType: proto.DeviceProps.decode(payload.devicePairingData?.deviceProps ?? new Uint8Array()).platformType ?? 0,
    heard,
    notices,
    ceremony: undefined,
    get isConnected() {
      return link.isOpen
    },
    get codeRequest() {
      return codeRequest
    },
    shows: ({ ref }) => refs.includes(ref),
    isOutdated: ({ secret }) => outdated.has(secret.toString('hex')),
    refresh(shown, tag = 'companion_reg_refresh') {
      if (shown !== undefined) outdated.add(readQr(shown).secret.toString('hex'))
      applicant.notify('companion_reg_refresh', [stanza(tag)])
    },
    expireRefs: () => void (isExpired = true),
    get isExpired() {
      return isExpired
    },
    welcomeTooEarly: () =>
      link.send(stanza('success', { t: seconds(), lid: '900000000000000:1@lid', location: 'lla' })),
    drop: link.drop,
    ask(content, attributes) {
      const node = iq(content, attributes)
      const answer = answerOf(node.attrs['id'] ?? '')
      link.send(node)
      return answer
    },
    notify(type, content, from = '@s.whatsapp.net') {
      const id = `n${++lastId}`
      const acknowledged = new Promise<Record<string, string>>((resolve) => void acknowledging.set(id, resolve))
      const notice = { id, type, acks: [], acknowledged }
      notices.push(notice)
      link.send(stanza('notification', { type, from, id, t: seconds() }, content))
      return notice
    },
    finish: () => answerOf('finish'),
    hear(node) {
      heard.push(node)
      const { id = '', type } = node.attrs
      if (node.tag === 'ack') return hearAck(node.attrs)
      if (node.tag !== 'iq') return
      if (type === 'result') return awaited.get(id)?.resolve(node)
      if (isPasskeyQuery(firstTag(node))) return hearPasskeyQuery(node)
      const asked = child(node, 'link_code_companion_reg')
      if (asked !== undefined) return hearCode(node, asked)
      link.send(stanza('iq', { type: 'result', id, from: 's.whatsapp.net' }))
    },
    gone() {
      applicant.ceremony?.abandon(HUNG_UP)
      for (const { reject } of awaited.values()) reject(new Error(HUNG_UP))
    },
  }
  return applicant
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
