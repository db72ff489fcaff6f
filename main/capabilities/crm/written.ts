import { LIMITS } from '../../contract/limits.ts'
import type { MediaType } from '../../contract/shapes.ts'

/** A message of a CRM user, before it becomes messages here. */
export interface Written {
  readonly text: string
  readonly attachments: readonly Attachment[]
}

interface Attachment {
  readonly url: string
  /** null: derived from the file extension. */
  readonly mediaType: MediaType | null
  readonly filename: string | null
}

/** The body of a send, without its recipient. */
export type Part =
  | { readonly text: string }
  | {
      readonly media_url: string
      readonly media_type: MediaType
      readonly caption?: string
      readonly filename?: string
    }

const CAPTION_LENGTH = 1_024

const URL_LENGTH = 2_048

/** Why the message is not sent as a whole, for the person who wrote it; nothing is omitted silently. */
export function tooMuch({ text, attachments }: Written): string | undefined {
  if (attachments.length > LIMITS.crmAttachments)
    return `The message has more than ${LIMITS.crmAttachments} attachments. Send them in several messages.`
  if (attachments.some(({ url }) => url.length > URL_LENGTH))
    return `The address of an attachment is longer than ${URL_LENGTH} characters. Attach the file in another way.`
  if (text.length > LIMITS.textLength)
    return `The message is longer than ${LIMITS.textLength} characters. Send it in several messages.`
  return undefined
}

/** One message per file. The text becomes the caption of the first file if possible. */
export function partsOfWritten({ text, attachments }: Written): readonly Part[] {
  const files = attachments.map(({ url, mediaType, filename }) => ({
    media_url: url,
    media_type: mediaType ?? typeByName(url),
    ...(filename !== null && { filename }),
  }))
  const [first, ...others] = files
  if (text === '') return files
  if (first === undefined) return [{ text }]
  // Audio has no caption, and a long text does not fit into one.
  if (first.media_type === 'audio' || text.length > CAPTION_LENGTH) return [{ text }, ...files]
  return [{ ...first, caption: text }, ...others]
}

const ENDINGS: Readonly<Record<string, MediaType>> = {
  jpg: 'image',
  jpeg: 'image',
  png: 'image',
  webp: 'image',
  mp4: 'video',
  '3gp': 'video',
  mov: 'video',
  ogg: 'audio',
  oga: 'audio',
  opus: 'audio',
  mp3: 'audio',
  m4a: 'audio',
  aac: 'audio',
  wav: 'audio',
  amr: 'audio',
}

function typeByName(url: string): MediaType {
  const ending = /\.([a-z0-9]{2,5})$/i.exec(URL.parse(url)?.pathname ?? '')?.[1]?.toLowerCase()
  return ENDINGS[ending ?? ''] ?? 'document'
}
