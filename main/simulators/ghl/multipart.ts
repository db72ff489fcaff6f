/** A part of a form with files. */
export interface FormPart {
  readonly name: string
  /** null for a field, whose value is the text of `bytes`. */
  readonly filename: string | null
  readonly mimeType: string
  readonly bytes: Buffer
}

const BREAK = Buffer.from('\r\n')
const HEAD_END = Buffer.from('\r\n\r\n')

/** Limit of parts; our forms and GoHighLevel's have only a few. */
const MOST_PARTS = 50

/** Reads multipart/form-data (RFC 7578). @returns null if it is not, or has very many parts. */
export function readMultipart(contentType: string | undefined, body: Buffer): FormPart[] | null {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(contentType ?? '')?.[1]
  if (boundary === undefined) return null
  const fence = Buffer.from(`--${boundary}`)
  const parts: FormPart[] = []
  let at = body.indexOf(fence)
  while (at >= 0) {
    const begin = at + fence.length + BREAK.length
    const end = body.indexOf(fence, begin)
    if (end < 0) return parts
    if (parts.length >= MOST_PARTS) return null
    const headEnd = body.indexOf(HEAD_END, begin)
    if (headEnd < 0 || headEnd > end) return null
    const head = body.subarray(begin, headEnd).toString()
    const bytes = body.subarray(headEnd + HEAD_END.length, end - BREAK.length)
    parts.push({
      name: /name="([^"]*)"/i.exec(head)?.[1] ?? '',
      filename: /filename="([^"]*)"/i.exec(head)?.[1] ?? null,
      mimeType: /content-type:\s*([^\r\n;]+)/i.exec(head)?.[1]?.trim() ?? 'text/plain',
      bytes,
    })
    at = end
  }
  return null
}
