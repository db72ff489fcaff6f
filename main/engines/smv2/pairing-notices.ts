import type { BinaryNode } from 'baileys'

/** What the network tells a device that is being linked, and the library does not know. */
export type PairingNotice =
  /** The phone asks for the code on screen to be drawn again with another secret. */
  | { readonly kind: 'refresh' }
  /** One of these by its type, with content that is not. */
  | { readonly kind: 'malformed' }

/** Error of an acknowledgement: the content could not be parsed. */
export const PARSING_ERROR = 487

/** Decoded from either form. */
const SERVERS: ReadonlySet<string | undefined> = new Set(['s.whatsapp.net', '@s.whatsapp.net'])

const READERS: Readonly<Record<string, (node: BinaryNode) => PairingNotice>> = {
  companion_reg_refresh: (node) =>
    hasChild(node, 'companion_reg_refresh') || hasChild(node, 'pair-device-rotate-qr')
      ? { kind: 'refresh' }
      : MALFORMED,
}

const MALFORMED: PairingNotice = { kind: 'malformed' }

/** @returns undefined for a notification that the library handles. */
export function readPairingNotice(node: BinaryNode): PairingNotice | undefined {
  const read = isPairingNotice(node) ? READERS[node.attrs['type'] ?? ''] : undefined
  if (read === undefined) return undefined
  // Nobody but the server may speak of a pairing.
  return SERVERS.has(node.attrs['from']) ? read(node) : MALFORMED
}

export const isPairingNotice = ({ tag, attrs }: BinaryNode): boolean =>
  tag === 'notification' && Object.hasOwn(READERS, attrs['type'] ?? '')

const hasChild = ({ content }: BinaryNode, tag: string): boolean =>
  Array.isArray(content) && content.some((child) => child.tag === tag)
