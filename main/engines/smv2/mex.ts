import type { BinaryNode } from 'baileys'
import type { OpenLink } from './link.ts'
import { QUERY_MS } from './query.ts'

/** The network understood the query and refused it, with this code if it gave one. */
export class MexRefusal extends Error {
  readonly code: number | null

  constructor(code: number | null) {
    super(`the network refused a query (${code ?? 'no code'})`)
    this.code = code
  }
}

/**
 * Changes something through numbered queries, which WhatsApp's own client uses for newer features.
 * @throws if it is refused, or if there is no answer in time.
 */
export async function mutate(
  open: Pick<OpenLink, 'library' | 'sock'>,
  queryId: string,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  await askMex(open, queryId, { input })
}

/**
 * @returns `data` of the answer, which nobody has checked.
 * @throws MexRefusal; Error if there is no answer in time.
 */
export async function askMex(
  { library, sock }: Pick<OpenLink, 'library' | 'sock'>,
  queryId: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const content = Buffer.from(JSON.stringify({ variables }))
  const iq: BinaryNode = {
    tag: 'iq',
    attrs: { to: library.S_WHATSAPP_NET, type: 'get', xmlns: 'w:mex' },
    content: [{ tag: 'query', attrs: { query_id: queryId }, content }],
  }
  // The library resolves with undefined if the network does not answer; its type does not say so.
  const answer = (await sock.query(iq, QUERY_MS)) as BinaryNode | undefined
  const result = library.getBinaryNodeChildBuffer(answer, 'result')
  if (result === undefined) throw new Error('the network did not answer a query')
  const { errors, data } = JSON.parse(Buffer.from(result).toString()) as {
    errors?: readonly { extensions?: { error_code?: unknown } }[] | null
    data?: unknown
  }
  if (!errors?.length) return data
  const code = Number(errors[0]?.extensions?.error_code ?? NaN)
  throw new MexRefusal(Number.isInteger(code) ? code : null)
}
