import { randomBytes } from 'node:crypto'
import type { proto } from 'baileys'
import type { Introduction, Link } from './link.ts'
import type { Registration } from './linked-device.ts'
import { bytesOf, child, readAddress, stanza, type Stanza } from './stanza.ts'

/** A client that is linked to nobody yet: it shows a QR code, or asks for a code to type. */
export interface Applicant {
  readonly link: Link
  readonly registration: Registration
  readonly refs: readonly string[]
  /** What it said when it asked for a code to type. */
  readonly codeRequest: CodeRequest | undefined
  /** Sends an `iq` and waits for its answer. */
  ask(content: Stanza[], attributes?: Readonly<Record<string, string | number>>): Promise<Stanza>
  /** What it says once it has read the phone's half of a code. */
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

let lastId = 0

export function createApplicant(link: Link, { clientKey, payload }: Introduction): Applicant {
  const awaited = new Map<string, Awaited>()
  const refs = Array.from({ length: REFS }, () => `2@${randomBytes(64).toString('base64')}`)
  let codeRequest: CodeRequest | undefined

  const answerOf = (id: string) => new Promise<Stanza>((resolve, reject) => void awaited.set(id, { resolve, reject }))
  const iq = (content: Stanza[], attributes = {}) =>
    stanza('iq', { type: 'set', from: 's.whatsapp.net', id: `s${++lastId}`, xmlns: 'md', ...attributes }, content)

  function hearCode(node: Stanza, asked: Stanza): void {
    const answer = (content?: Stanza[]) =>
      link.send(stanza('iq', { type: 'result', id: node.attrs['id'], from: 's.whatsapp.net' }, content))
    if (asked.attrs['stage'] === 'companion_finish') {
      answer()
      return awaited.get('finish')?.resolve(asked)
    }
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
  return {
    link,
    registration: readRegistration(clientKey, payload),
    refs,
    get codeRequest() {
      return codeRequest
    },
    ask(content, attributes) {
      const node = iq(content, attributes)
      const answer = answerOf(node.attrs['id'] ?? '')
      link.send(node)
      return answer
    },
    finish: () => answerOf('finish'),
    hear(node) {
      const { id = '', type } = node.attrs
      if (node.tag === 'iq' && type === 'result') return awaited.get(id)?.resolve(node)
      const asked = child(node, 'link_code_companion_reg')
      if (asked !== undefined) return hearCode(node, asked)
      if (node.tag === 'iq') link.send(stanza('iq', { type: 'result', id, from: 's.whatsapp.net' }))
    },
    gone() {
      for (const { reject } of awaited.values()) reject(new Error('the client hung up while it was being linked'))
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
