import { getBinaryNodeChild, getBinaryNodeChildren, jidDecode, type BinaryNode } from 'baileys'

/** One element of the chat protocol: a tag, attributes, and either bytes or child elements. */
export type Stanza = BinaryNode

type Attributes = Readonly<Record<string, string | number | undefined>>

/** @param attributes undefined attributes are left out. */
export function stanza(tag: string, attributes: Attributes = {}, content?: Stanza['content']): Stanza {
  const attrs: Record<string, string> = {}
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) attrs[name] = String(value)
  return content === undefined ? { tag, attrs } : { tag, attrs, content }
}

export const child = (node: Stanza | undefined, tag: string): Stanza | undefined => getBinaryNodeChild(node, tag)
export const children = (node: Stanza | undefined, tag: string): Stanza[] => getBinaryNodeChildren(node, tag)
export const firstTag = (node: Stanza): string => (Array.isArray(node.content) ? (node.content[0]?.tag ?? '') : '')

const ERRORS: Readonly<Record<number, string>> = {
  400: 'bad-request',
  401: 'not-authorized',
  429: 'rate-overlimit',
  500: 'internal-server-error',
}

/** The server's answer to a query that it refuses. */
export const errorTo = (iq: Stanza, code: number): Stanza =>
  stanza('iq', { type: 'error', id: iq.attrs['id'], from: '@s.whatsapp.net' }, [
    stanza('error', { code, text: ERRORS[code] ?? 'error' }),
  ])

/** The bytes of an element; empty if there are none. */
export function bytesIn(node: Stanza | undefined): Buffer {
  const content = node?.content
  if (typeof content === 'string') return Buffer.from(content)
  return content instanceof Uint8Array ? Buffer.from(content) : Buffer.alloc(0)
}

export const bytesOf = (node: Stanza | undefined, tag: string): Buffer => bytesIn(child(node, tag))
export const numberOf = (node: Stanza | undefined, tag: string): number => {
  const bytes = bytesOf(node, tag)
  return bytes.length === 0 ? 0 : bytes.readUIntBE(0, bytes.length)
}

export function bigEndian(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.writeUIntBE(value, 0, length)
  return bytes
}

/** A public key in the format of bundles. */
export const preKeyStanza = (tag: string, key: { id: number; key: Buffer; signature?: Buffer }): Stanza =>
  stanza(tag, {}, [
    stanza('id', {}, bigEndian(key.id, 3)),
    stanza('value', {}, key.key),
    ...(key.signature ? [stanza('signature', {}, key.signature)] : []),
  ])

/** An address: a number or a hidden id, and the device. */
export interface Address {
  readonly user: string
  readonly kind: 'number' | 'lid' | 'group'
  readonly device: number
}

const KINDS: Readonly<Record<string, Address['kind']>> = { 's.whatsapp.net': 'number', lid: 'lid', 'g.us': 'group' }

/** @throws if the address does not belong to a person, a hidden id or a group. */
export function readAddress(jid: string): Address {
  const decoded = jidDecode(jid)
  const kind = KINDS[decoded?.server ?? '']
  if (decoded === undefined || kind === undefined) throw new Error(`not an address the stand-in knows: ${jid}`)
  return { user: decoded.user, kind, device: decoded.device ?? 0 }
}

const onDevice = (user: string, device: number) => (device === 0 ? user : `${user}:${device}`)
export const numberJid = (number: string, device = 0): string => `${onDevice(number, device)}@s.whatsapp.net`
export const lidJid = (lid: string, device = 0): string => `${onDevice(lid, device)}@lid`
export const groupJid = (id: string): string => `${id}@g.us`

export const seconds = (): number => Math.floor(Date.now() / 1_000)
