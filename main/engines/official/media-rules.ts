import { LIMITS } from '../../contract/limits.ts'
import { extensionsOf } from '../../kernel/file-type.ts'
import type { FileType } from '../engine.ts'

const KILOBYTE = 1024
const MEGABYTE = 1024 * KILOBYTE

const OFFICE = 'application/vnd.openxmlformats-officedocument'

/** What Meta accepts as the file of each kind of message. Anything else is refused with 131053, or after the send. */
export const META_MEDIA: Readonly<Record<FileType, { readonly types: readonly string[]; readonly bytes: number }>> = {
  image: { types: ['image/jpeg', 'image/png'], bytes: LIMITS.mediaMegabytes.image * MEGABYTE },
  audio: {
    types: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'],
    bytes: LIMITS.mediaMegabytes.audio * MEGABYTE,
  },
  video: { types: ['video/mp4', 'video/3gpp'], bytes: LIMITS.mediaMegabytes.video * MEGABYTE },
  document: {
    types: [
      ...['text/plain', 'application/pdf', 'application/msword', 'application/vnd.ms-excel'],
      ...['application/vnd.ms-powerpoint', `${OFFICE}.wordprocessingml.document`],
      ...[`${OFFICE}.spreadsheetml.sheet`, `${OFFICE}.presentationml.presentation`],
    ],
    bytes: LIMITS.mediaMegabytes.document * MEGABYTE,
  },
  sticker: { types: ['image/webp'], bytes: 500 * KILOBYTE },
}

/** WhatsApp shows a larger recording as an audio file, which has to be downloaded. */
const VOICE_NOTE_BYTES = 512 * KILOBYTE

/** Whether Meta shows this file as a voice note. */
export const isMetaVoiceNote = ({ isVoice, size }: { readonly isVoice: boolean; readonly size: number }): boolean =>
  isVoice && size <= VOICE_NOTE_BYTES

/** Why Meta would refuse a file, as the end of a sentence whose subject is the file. */
export function metaRefusal(mediaType: FileType, mimeType: string, size: number): string | undefined {
  const { types, bytes } = META_MEDIA[mediaType]
  if (!types.includes(mimeType))
    return `is ${mimeType}, which the official engine cannot send as ${mediaType}. Use ${listed(types)}`
  if (size > bytes) return `is larger than ${Math.floor(bytes / KILOBYTE)} kB, Meta's maximum for ${mediaType}`
  return undefined
}

/**
 * The name a file is uploaded under. Meta compares its extension with the type; people see the `filename` of the message.
 * @throws Error for a type that Meta does not accept
 */
export function uploadName(mediaType: FileType, mimeType: string, isVoice: boolean): string {
  const [extension] = extensionsOf(mimeType)
  if (extension === undefined) throw new Error(`no extension for ${mimeType}`)
  return `${isVoice ? 'voice' : mediaType}.${extension}`
}

const listed = (types: readonly string[]): string => {
  const names = types.map((type) => (extensionsOf(type)[0] ?? type).toUpperCase())
  return `${names.slice(0, -1).join(', ')}${names.length > 1 ? ' or ' : ''}${names.at(-1) ?? ''}`
}
