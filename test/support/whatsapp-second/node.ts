/**
 * One element of the chat protocol. Its content is bytes or child elements; it is text only where servers write text.
 */
export interface Node {
  readonly tag: string
  readonly attrs: Readonly<Record<string, string>>
  readonly content?: Node[] | Buffer | string
}

type Attributes = Readonly<Record<string, string | number | undefined>>

/** @param attributes undefined attributes are left out. */
export function node(tag: string, attributes: Attributes = {}, content?: Node[] | Buffer | string): Node {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined)
  const attrs = Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
  if (content === undefined) return { tag, attrs }
  return { tag, attrs, content: typeof content === 'string' ? Buffer.from(content) : content }
}

export const childrenOf = (parent: Node | undefined, tag?: string): Node[] =>
  Array.isArray(parent?.content) ? parent.content.filter((one) => tag === undefined || one.tag === tag) : []

export const childOf = (parent: Node | undefined, tag: string): Node | undefined => childrenOf(parent, tag)[0]

export const firstTag = (parent: Node): string => childrenOf(parent)[0]?.tag ?? ''

/** The bytes in an element, or in its child of this name; empty if there are none. */
export function bytesIn(parent: Node | undefined, tag?: string): Buffer {
  const found = tag === undefined ? parent : childOf(parent, tag)
  return Buffer.isBuffer(found?.content) ? found.content : Buffer.alloc(0)
}

export const textIn = (parent: Node | undefined, tag?: string): string => bytesIn(parent, tag).toString()

export function numberIn(parent: Node | undefined, tag: string): number {
  const bytes = bytesIn(parent, tag)
  return bytes.length === 0 ? 0 : bytes.readUIntBE(0, bytes.length)
}

/** The server's own address: a name without a user. Clients read it with an @ in front. */
export const SERVER = '@s.whatsapp.net'

export const resultOf = (iq: Node, content?: Node[], from: string = iq.attrs['to'] ?? SERVER): Node =>
  node('iq', { type: 'result', id: iq.attrs['id'], from }, content)

export const errorOf = (iq: Node, code: number, text: string): Node =>
  node('iq', { type: 'error', id: iq.attrs['id'], from: SERVER }, [node('error', { code, text })])

export const nowSeconds = () => Math.floor(Date.now() / 1_000)
