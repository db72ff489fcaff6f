import { MIMEType } from 'node:util'

/** The file name of a Content-Disposition header (RFC 6266); if there are two, the extended one of RFC 5987. */
export function filenameOf(header: string | undefined): string | null {
  const parameters = header?.indexOf(';') ?? -1
  if (header === undefined || parameters === -1) return null
  const { params } = new MIMEType(`a/b${header.slice(parameters)}`)
  const plain = params.get('filename')
  return extended(params.get('filename*')) ?? (plain === null ? null : asUtf8(plain))
}

/** `UTF-8'en'na%C3%AFve.txt` */
function extended(value: string | null): string | null {
  const [, charset = '', encoded = ''] = /^([\w-]+)'[^']*'(.*)$/.exec(value ?? '') ?? []
  try {
    if (/^utf-8$/i.test(charset)) return decodeURIComponent(encoded) || null
    if (!/^iso-8859-1$/i.test(charset)) return null
    return encoded.replaceAll(/%([\da-f]{2})/gi, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)))
  } catch {
    return null
  }
}

/** Headers are read as Latin-1, and most servers write UTF-8 into them. */
function asUtf8(latin1: string): string {
  const text = Buffer.from(latin1, 'latin1').toString()
  return text.includes('\ufffd') ? latin1 : text
}
