import type { BinaryNode } from 'baileys'
import type { PasskeyOptions } from '../engine.ts'
import type { Library } from './library.ts'
import type { PrimaryIdentity } from './passkey.ts'
import { KEY_BYTES } from './shortcake.ts'

/** Notifications to a device that is being linked, which the library does not handle. */
export type PairingNotice =
  /** The phone asks for the code on screen to be drawn again with another secret. */
  | { readonly kind: 'refresh' }
  /** The account's passkey is asked for. null: the options have to be fetched. */
  | { readonly kind: 'passkey'; readonly options: PasskeyOptions | null }
  /** The phone has answered the confirmation. null: its answer was malformed. */
  | { readonly kind: 'continuation'; readonly primary: PrimaryIdentity | null }
  /** One of these types, but malformed or from the wrong sender. */
  | { readonly kind: 'refused' }

/** Error of an acknowledgement: the content could not be parsed. */
export const PARSING_ERROR = 487

/** Decoded from a string or bytes. */
const SERVERS: ReadonlySet<string | undefined> = new Set(['s.whatsapp.net', '@s.whatsapp.net'])
const OPTIONS_BYTES = 4096

type Reader = (node: BinaryNode, library: Pick<Library, 'proto'>) => PairingNotice

const REFUSED: PairingNotice = { kind: 'refused' }

const READERS: Readonly<Record<string, Reader>> = {
  companion_reg_refresh: (node) =>
    childOf(node, 'companion_reg_refresh') || childOf(node, 'pair-device-rotate-qr') ? { kind: 'refresh' } : REFUSED,
  passkey_prologue_request(node) {
    const child = childOf(node, 'passkey_request_options')
    if (child === undefined) return { kind: 'passkey', options: null }
    const options = passkeyOptionsIn(child)
    return options ? { kind: 'passkey', options } : REFUSED
  },
  crsc_continuation: (node, library) => ({
    kind: 'continuation',
    primary: primaryIn(childOf(node, 'primary_ephemeral_identity'), library),
  }),
}

/** @returns undefined for a notification that the library handles. */
export function readPairingNotice(library: Pick<Library, 'proto'>, node: BinaryNode): PairingNotice | undefined {
  const read = isPairingNotice(node) ? READERS[node.attrs['type'] ?? ''] : undefined
  if (read === undefined) return undefined
  return SERVERS.has(node.attrs['from']) ? read(node, library) : REFUSED
}

export const isPairingNotice = ({ tag, attrs }: BinaryNode): boolean =>
  tag === 'notification' && Object.hasOwn(READERS, attrs['type'] ?? '')

/** Whether it is acknowledged with a parsing error. */
export const isMalformed = (notice: PairingNotice): boolean =>
  notice.kind === 'refused' || (notice.kind === 'continuation' && notice.primary === null)

const childOf = ({ content }: BinaryNode, tag: string): BinaryNode | undefined =>
  Array.isArray(content) ? content.find((child) => child.tag === tag) : undefined

/** The bytes of an element. They arrive as a string if they are in the protocol's dictionary. */
export function bytesIn(node: BinaryNode | undefined): Buffer {
  const content = node?.content
  if (typeof content === 'string') return Buffer.from(content)
  return content instanceof Uint8Array ? Buffer.from(content) : Buffer.alloc(0)
}

/** @returns undefined if it has no options that a browser would accept. */
export function passkeyOptionsIn(node: BinaryNode | undefined): PasskeyOptions | undefined {
  const bytes = bytesIn(node)
  if (bytes.length === 0 || bytes.length > OPTIONS_BYTES) return undefined
  try {
    const options = JSON.parse(bytes.toString()) as unknown
    return isOptions(options) ? options : undefined
  } catch {
    return undefined
  }
}

const isOptions = (value: unknown): value is PasskeyOptions =>
  typeof value === 'object' &&
  value !== null &&
  'challenge' in value &&
  typeof value.challenge === 'string' &&
  /^[\w-]+$/.test(value.challenge)

function primaryIn(node: BinaryNode | undefined, { proto }: Pick<Library, 'proto'>): PrimaryIdentity | null {
  try {
    const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(bytesIn(node))
    if (publicKey?.length !== KEY_BYTES || nonce?.length !== KEY_BYTES) return null
    return { publicKey, nonce }
  } catch {
    return null
  }
}
