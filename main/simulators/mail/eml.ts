/** The shown parts of a plain-text email. */
export interface ParsedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
}

/** Parses an email with a single text part, as Switchboard sends it. */
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

/** RFC 2047: decodes non-ASCII words. White space between two of them is ignored. */
const decodeWords = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?[^?]+\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString()
        : Buffer.from(unquote(word.replaceAll('_', ' ')), 'latin1').toString(),
    )
