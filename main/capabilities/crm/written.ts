import type { MediaType } from '../../contract/shapes.ts'

/** What a user of a CRM wrote, before it becomes messages. */
export interface Written {
  readonly text: string
  readonly attachments: readonly Attachment[]
}

interface Attachment {
  readonly url: string
  /** null: by the ending of its name. */
  readonly mediaType: MediaType | null
  readonly filename: string | null
}

/** The body of a send, without its number. */
export type Part =
  | { readonly text: string }
  | {
      readonly media_url: string
      readonly media_type: MediaType
      readonly caption?: string
      readonly filename?: string
    }

const CAPTION_LENGTH = 1_024

/** One message for each file, the text as the caption of the first one if that can have it. */
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
