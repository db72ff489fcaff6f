import { deflateSync, inflateSync } from 'node:zlib'
import { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS, TAGS } from 'baileys/lib/WABinary/constants.js'
import type { Node } from './node.ts'

/** The dictionary of the protocol comes from the client library; the encoding of elements is written here. */
const WORDS = new Map<string, readonly number[]>()
for (const [dictionary, words] of DOUBLE_BYTE_TOKENS.entries())
  for (const [at, word] of words.entries()) WORDS.set(word, [TAGS.DICTIONARY_0 + dictionary, at])
for (const [at, word] of SINGLE_BYTE_TOKENS.entries()) if (word && at > 0) WORDS.set(word, [at])

const SERVERS: Readonly<Record<number, string>> = { 0: 's.whatsapp.net', 1: 'lid', 128: 'hosted', 129: 'hosted.lid' }
const NIBBLES = '0123456789-.'
const HEX = '0123456789ABCDEF'
const PACKED_MAX = 127
/** Larger stanzas are sent compressed. */
const COMPRESS_FROM = 1_024

/** @returns the encoded element. Its first byte says whether it is compressed. */
export function encode(element: Node): Buffer {
  const plain = Buffer.concat(write(element))
  return plain.length < COMPRESS_FROM
    ? Buffer.concat([Buffer.from([0]), plain])
    : Buffer.concat([Buffer.from([2]), deflateSync(plain)])
}

/** @throws if the frame is not an element. */
export function decode(frame: Buffer): Node {
  const body = frame.subarray(1)
  const reader = new Reader((frame[0] ?? 0) & 2 ? inflateSync(body) : body)
  const element = reader.element()
  if (!reader.isAtEnd) throw new Error('there is something behind the stanza')
  return element
}

function write({ tag, attrs, content }: Node): Buffer[] {
  const names = Object.entries(attrs)
  const parts = [listStart(1 + 2 * names.length + (content === undefined ? 0 : 1)), word(tag)]
  for (const [name, value] of names) parts.push(word(name), word(value))
  if (typeof content === 'string') parts.push(word(content))
  else if (Buffer.isBuffer(content)) parts.push(bytes(content))
  else if (content) parts.push(listStart(content.length), ...content.flatMap(write))
  return parts
}

function listStart(size: number): Buffer {
  if (size === 0) return Buffer.from([TAGS.LIST_EMPTY])
  return size < 256 ? Buffer.from([TAGS.LIST_8, size]) : Buffer.from([TAGS.LIST_16, size >> 8, size & 0xff])
}

function bytes(content: Buffer): Buffer {
  const { length } = content
  if (length < 256) return Buffer.concat([Buffer.from([TAGS.BINARY_8, length]), content])
  if (length < 2 ** 20)
    return Buffer.concat([Buffer.from([TAGS.BINARY_20, length >> 16, (length >> 8) & 0xff, length & 0xff]), content])
  const start = Buffer.alloc(5, TAGS.BINARY_32)
  start.writeUInt32BE(length, 1)
  return Buffer.concat([start, content])
}

function word(text: string): Buffer {
  const token = WORDS.get(text)
  if (token) return Buffer.from(token)
  return address(text) ?? packed(text) ?? bytes(Buffer.from(text))
}

function address(text: string): Buffer | undefined {
  const [, user = '', device, server = ''] = /^([^@: ]*)(?::(\d+))?@([a-z.]+)$/.exec(text) ?? []
  if (server === '') return undefined
  if (device === undefined) {
    const name = user === '' ? Buffer.from([TAGS.LIST_EMPTY]) : word(user)
    return Buffer.concat([Buffer.from([TAGS.JID_PAIR]), name, word(server)])
  }
  const domain = Object.entries(SERVERS).find(([, name]) => name === server)?.[0]
  if (domain === undefined) return undefined
  return Buffer.concat([Buffer.from([TAGS.AD_JID, Number(domain), Number(device)]), word(user)])
}

function packed(text: string): Buffer | undefined {
  if (text.length === 0 || text.length > PACKED_MAX) return undefined
  const [tag, alphabet] = /^[\d.-]+$/.test(text) ? [TAGS.NIBBLE_8, NIBBLES] : [TAGS.HEX_8, HEX]
  if (alphabet === HEX && !/^[\dA-F]+$/.test(text)) return undefined
  const digits = Array.from(text, (digit) => alphabet.indexOf(digit))
  const pairs: number[] = []
  for (let at = 0; at < digits.length; at += 2) pairs.push(((digits[at] ?? 0) << 4) | (digits[at + 1] ?? 15))
  return Buffer.from([tag, pairs.length | (digits.length % 2 === 0 ? 0 : 0x80), ...pairs])
}

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(source: Buffer) {
    this.#bytes = source
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  element(): Node {
    const size = this.#listSize(this.#number(1))
    if (size === 0) throw new Error('a stanza is empty')
    const tag = this.#text()
    const attrs: Record<string, string> = {}
    for (let left = (size - 1) >> 1; left > 0; left--) attrs[this.#text()] = this.#text()
    return size % 2 === 1 ? { tag, attrs } : { tag, attrs, content: this.#content() }
  }

  #content(): Node[] | Buffer {
    const tag = this.#bytes[this.#at] ?? 0
    if (tag !== TAGS.LIST_EMPTY && tag !== TAGS.LIST_8 && tag !== TAGS.LIST_16)
      return this.#raw() ?? Buffer.from(this.#text())
    this.#at++
    return Array.from({ length: this.#listSize(tag) }, () => this.element())
  }

  #listSize(tag: number): number {
    if (tag === TAGS.LIST_EMPTY) return 0
    if (tag === TAGS.LIST_8) return this.#number(1)
    if (tag === TAGS.LIST_16) return this.#number(2)
    throw new Error(`${tag} begins no list`)
  }

  /** Returns raw bytes, or undefined if a dictionary word follows. */
  #raw(): Buffer | undefined {
    const tag = this.#bytes[this.#at] ?? 0
    if (tag !== TAGS.BINARY_8 && tag !== TAGS.BINARY_20 && tag !== TAGS.BINARY_32) return undefined
    this.#at++
    if (tag === TAGS.BINARY_8) return this.#take(this.#number(1))
    return this.#take(tag === TAGS.BINARY_20 ? this.#number(3) & 0xfffff : this.#number(4))
  }

  #text(): string {
    const raw = this.#raw()
    if (raw) return raw.toString()
    const tag = this.#number(1)
    if (tag === TAGS.LIST_EMPTY) return ''
    const single = SINGLE_BYTE_TOKENS[tag]
    if (single) return single
    if (tag >= TAGS.DICTIONARY_0 && tag <= TAGS.DICTIONARY_3) {
      const found = DOUBLE_BYTE_TOKENS[tag - TAGS.DICTIONARY_0]?.[this.#number(1)]
      if (found !== undefined) return found
    }
    if (tag === TAGS.JID_PAIR) return `${this.#text()}@${this.#text()}`
    if (tag === TAGS.AD_JID) return this.#deviceAddress()
    if (tag === TAGS.NIBBLE_8) return this.#packed(NIBBLES)
    if (tag === TAGS.HEX_8) return this.#packed(HEX)
    throw new Error(`${tag} begins no text`)
  }

  #deviceAddress(): string {
    const [domain, device] = [this.#number(1), this.#number(1)]
    return `${this.#text()}${device === 0 ? '' : `:${device}`}@${SERVERS[domain] ?? 's.whatsapp.net'}`
  }

  #packed(alphabet: string): string {
    const start = this.#number(1)
    const digits = [...this.#take(start & 0x7f)].flatMap((pair) => [pair >> 4, pair & 15])
    if (start & 0x80) digits.pop()
    return digits.map((digit) => alphabet[digit] ?? '').join('')
  }

  #number(length: number): number {
    return this.#take(length).readUIntBE(0, length)
  }

  #take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new Error('a stanza ends too early')
    const part = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return part
  }
}
