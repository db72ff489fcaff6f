import type { BinaryNode } from 'baileys'
import { isPairingNotice } from './pairing-notices.ts'

/** What the network sends before a phone has confirmed a pairing, as far as the library knows it. */
const EXPECTED: readonly RegExp[] = [
  /^iq(\/(pair-device|pair-success|link_code_companion_reg|error))?$/,
  /^notification\/link_code_companion_reg$/,
  /^(success|failure|ack|ib|xmlstreamend|stream:error|stream:features)(\/|$)/,
]

/** What the library looks at, or what is not acknowledged. */
const HANDLED: ReadonlySet<string> = new Set([
  ...['message', 'receipt', 'notification', 'call', 'ack', 'iq', 'ib', 'presence', 'chatstate'],
  ...['success', 'failure', 'stream:error', 'stream:features', 'xmlstreamend'],
])

/**
 * A stanza that the library does not know, such as the `status` of a channel. The network brings it again at each login
 * until it is acknowledged.
 */
export const isUnhandled = ({ tag, attrs }: BinaryNode): boolean =>
  !HANDLED.has(tag) && attrs['id'] !== undefined && attrs['from'] !== undefined

/**
 * A stanza during pairing that nobody answers. Its name says what it was, and holds nothing of what it said.
 * @returns undefined for what is expected.
 */
export function unknownStanza(node: BinaryNode): string | undefined {
  if (isPairingNotice(node)) return undefined
  const { tag, content } = node
  const child = Array.isArray(content) ? content[0]?.tag : undefined
  const name = child === undefined ? tag : `${tag}/${child}`
  return EXPECTED.some((one) => one.test(name)) ? undefined : name
}
