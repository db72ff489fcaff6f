/** A mail of plain text, as far as it is shown. */
export interface ParsedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
}

/** Reads a mail with a single part of text, which is what Switchboard sends. */
export function parseMail(bytes: Buffer): ParsedMail {
  // Headers are ASCII; the body is decoded from the same bytes.
  const source = bytes.toString('latin1').replaceAll('\r\n', '\n')
  const gap = source.indexOf('\n\n')
  const head = gap < 0 ? source : source.slice(0, gap)
  const headers = new Map(
    head
      .replaceAll(/\n[ \t]+/g, ' ')
      .split('\n')
      .map((line) => {
        const colon = line.indexOf(':')
        // Addresses may be in UTF-8 (RFC 6532).
        const value = Buffer.from(line.slice(colon + 1), 'latin1').toString()
        return [line.slice(0, colon).trim().toLowerCase(), value.trim()]
      }),
  )
  const encoding = (headers.get('content-transfer-encoding') ?? '7bit').toLowerCase()
  return {
    from: decodeWords(headers.get('from') ?? ''),
    to: (headers.get('to') ?? '').split(',').map((each) => decodeWords(each.trim())),
    subject: decodeWords(headers.get('subject') ?? ''),
    text: decodeBody(gap < 0 ? '' : source.slice(gap + 2), encoding).trimEnd(),
  }
}

function decodeBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  const bytes = encoding === 'quoted-printable' ? unquote(body.replaceAll(/=\n/g, '')) : body
  return Buffer.from(bytes, 'latin1').toString()
}

const unquote = (text: string): string =>
  text.replaceAll(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** RFC 2047: words in another encoding than ASCII. The space between two of them does not count. */
const decodeWords = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?[^?]+\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString()
        : Buffer.from(unquote(word.replaceAll('_', ' ')), 'latin1').toString(),
    )
