import { createHash } from 'node:crypto'
import type { BinaryNode, SignalDataSet } from 'baileys'
import { isChannelJid } from './jid.ts'
import type { DecryptedMessage } from './repository.ts'
import { INBOUND_JOURNAL, type Session } from './session.ts'

/** In place of the padding of encrypted messages: one byte that says how long it is. */
const PADDING = Buffer.from([1])

/** A post in a channel that the account follows, or undefined. Posts are not encrypted. */
export function readChannelPost({ tag, attrs, content }: BinaryNode): DecryptedMessage | undefined {
  if (tag !== 'message' || !isChannelJid(attrs['from'] ?? '') || !Array.isArray(content)) return undefined
  const plain = content.find((child) => child.tag === 'plaintext')?.content
  if (!(plain instanceof Uint8Array)) return undefined
  return { stanza: attrs, plain: Buffer.concat([plain, PADDING]).toString('base64') }
}

/** Puts it into the journal, as what is decrypted is. A post that comes again is the same entry. */
export async function keepChannelPost({ keys }: Pick<Session, 'keys'>, post: DecryptedMessage): Promise<void> {
  const { from = '', id = '' } = post.stanza
  const digest = createHash('sha256').update(`${from} ${id}`).digest('hex')
  // Not a key of the library, but stored where its keys are.
  await keys.set({ [INBOUND_JOURNAL]: { [digest]: post } } as unknown as SignalDataSet)
}
