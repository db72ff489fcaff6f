import type { BinaryNode } from 'baileys'
import { isPairingNotice } from './pairing-notices.ts'

/** What the network sends before a phone has confirmed a pairing, as far as the library knows it. */
const EXPECTED: readonly RegExp[] = [
  /^iq(\/(pair-device|pair-success|link_code_companion_reg|error))?$/,
  /^notification\/link_code_companion_reg$/,
  /^(success|failure|ack|ib|xmlstreamend|stream:error|stream:features)(\/|$)/,
]

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
