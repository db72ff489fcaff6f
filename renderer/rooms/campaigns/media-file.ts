import { LIMITS } from '../../../main/contract/limits.ts'
import type { MediaType } from '../../../main/contract/shapes.ts'

interface MediaKind {
  readonly type: MediaType
  readonly mimeType: string
}

const of = (type: MediaType, mimeType: string): MediaKind => ({ type, mimeType })
const OFFICE = 'application/vnd.openxmlformats-officedocument'

/** Files that can be uploaded, by extension, because systems disagree on media types. */
const KINDS: Readonly<Record<string, MediaKind>> = {
  '.jpg': of('image', 'image/jpeg'),
  '.jpeg': of('image', 'image/jpeg'),
  '.png': of('image', 'image/png'),
  '.webp': of('image', 'image/webp'),
  '.mp4': of('video', 'video/mp4'),
  '.3gp': of('video', 'video/3gpp'),
  '.mov': of('video', 'video/quicktime'),
  '.ogg': of('audio', 'audio/ogg'),
  '.mp3': of('audio', 'audio/mpeg'),
  '.m4a': of('audio', 'audio/mp4'),
  '.aac': of('audio', 'audio/aac'),
  '.pdf': of('document', 'application/pdf'),
  '.docx': of('document', `${OFFICE}.wordprocessingml.document`),
  '.xlsx': of('document', `${OFFICE}.spreadsheetml.sheet`),
  '.pptx': of('document', `${OFFICE}.presentationml.presentation`),
  '.csv': of('document', 'text/csv'),
  '.zip': of('document', 'application/zip'),
}

export const MEDIA_ENDINGS = Object.keys(KINDS)

export const kindOfFile = (name: string): MediaKind =>
  KINDS[/\.[a-z0-9]+$/i.exec(name)?.[0].toLowerCase() ?? ''] ?? of('document', 'application/octet-stream')

export const maxBytesOf = (type: MediaType): number => LIMITS.mediaMegabytes[type] * 1024 * 1024
