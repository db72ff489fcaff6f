import type { BinaryNode } from 'baileys'
import type { OpenLink } from './link.ts'
import { QUERY_MS } from './query.ts'

/**
 * Changes something through numbered queries, which WhatsApp's own client uses for newer features.
 * @throws if it is refused, or if there is no answer in time.
 */
export async function mutate(
  { library, sock }: Pick<OpenLink, 'library' | 'sock'>,
  queryId: string,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  const content = Buffer.from(JSON.stringify({ variables: { input } }))
  const iq: BinaryNode = {
    tag: 'iq',
    attrs: { to: library.S_WHATSAPP_NET, type: 'get', xmlns: 'w:mex' },
    content: [{ tag: 'query', attrs: { query_id: queryId }, content }],
  }
  // The library resolves with undefined if the network does not answer; its type does not say so.
  const answer = (await sock.query(iq, QUERY_MS)) as BinaryNode | undefined
  const result = library.getBinaryNodeChildBuffer(answer, 'result')
  if (result === undefined) throw new Error('the network did not answer a change')
  const { errors = [] } = JSON.parse(Buffer.from(result).toString()) as { errors?: readonly unknown[] }
  if (errors.length > 0) throw new Error('the network refused a change')
}
