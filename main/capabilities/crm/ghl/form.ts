import type { Random } from '../../../kernel/ids.ts'
import type { CrmFile } from '../bridge.ts'

/** A multipart form with one file (RFC 7578). */
export function formOf(
  random: Random,
  fields: Readonly<Record<string, string>>,
  { filename, mimeType, bytes }: CrmFile,
): { readonly contentType: string; readonly bytes: Buffer } {
  const boundary = `----switchboard${random.bytes(16).toString('hex')}`
  const part = (head: string) => `--${boundary}\r\nContent-Disposition: form-data; ${head}`
  const texts = Object.entries(fields).map(([name, value]) => `${part(`name="${name}"`)}\r\n\r\n${value}\r\n`)
  const name = filename.replaceAll(/["\r\n\\]/g, '_')
  const head = `${part(`name="fileAttachment"; filename="${name}"`)}\r\nContent-Type: ${mimeType}\r\n\r\n`
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([Buffer.from(texts.join('') + head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}
