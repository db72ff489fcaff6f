import { isUtf8 } from 'node:buffer'

/**
 * The key as the text its sender typed. Node reads header bytes as Latin-1, a query is read as UTF-8; without this a
 * key with an umlaut could not be looked up.
 */
export function decodeKeyHeader(header: string | null): string | null {
  if (header === null || /^[\x20-\x7e]*$/.test(header) || /[^\x00-\xff]/.test(header)) return header
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : header
}
