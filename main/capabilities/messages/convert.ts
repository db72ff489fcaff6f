import { buffer } from 'node:stream/consumers'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Engine } from '../../contract/shapes.ts'
import { TRAITS } from '../../contract/engine-traits.ts'
import type { FileType } from '../../engines/engine.ts'
import { META_MEDIA, metaRefusal } from '../../engines/official/media-rules.ts'
import type { FileContent } from '../../kernel/file-content.ts'
import type { Files } from '../../kernel/files.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Converted, MediaConverter } from '../../kernel/media-converter.ts'
import type { MediaTarget } from '../../kernel/media-targets.ts'
import { isDecodablePicture } from '../../kernel/picture-size.ts'
import { isOggOpus, isVoiceNote } from '../../kernel/voice-note.ts'
import type { MediaDraft } from './draft.ts'

interface ConvertDeps {
  readonly files: Pick<Files, 'storeTemporarily'>
  readonly converter: Pick<MediaConverter, 'convert'>
}

/** The file of a media message. */
export interface MediaFile {
  readonly mimeType: string
  readonly content: FileContent
  /** As it was uploaded. */
  readonly name?: string | null
  /** Called when the file is no longer needed. */
  readonly remove: () => Promise<void>
}

/** What a file must be converted to, and what to tell the sender if that fails. */
interface Conversion {
  readonly target: MediaTarget
  readonly mimeType: string
  readonly mostBytes: number
  readonly unreadable: string
  readonly tooLong: string
}

const MEGABYTE = 1024 * 1024

const VOICE: Conversion = {
  target: 'voice',
  mimeType: 'audio/ogg',
  mostBytes: LIMITS.mediaMegabytes.audio * MEGABYTE,
  unreadable:
    'cannot be converted to a voice note. Use an mp3, m4a, aac, wav or Ogg/Opus file, or remove voice to send it as an audio file',
  tooLong:
    'takes too long to convert to a voice note. Use a shorter recording, or one that a phone recorded, which is not converted',
}
const SOUND: Conversion = {
  ...VOICE,
  unreadable: 'cannot be read as a sound. On the official engine, use an mp3, m4a, aac, amr or Ogg/Opus file',
  tooLong:
    'takes too long to convert. Use a shorter recording, or an mp3, m4a, aac, amr or Ogg/Opus file, which is not converted',
}
const PHOTO: Conversion = {
  target: 'photo',
  mimeType: 'image/jpeg',
  mostBytes: LIMITS.mediaMegabytes.image * MEGABYTE,
  unreadable: 'cannot be converted to a JPEG. On the official engine, use a JPEG or PNG file',
  tooLong: 'takes too long to convert. Use a smaller picture, or a JPEG or PNG file, which is not converted',
}
const GIF: Conversion = {
  target: 'mp4',
  mimeType: 'video/mp4',
  mostBytes: LIMITS.mediaMegabytes.video * MEGABYTE,
  unreadable: 'cannot be read as a GIF. Use another GIF file or an mp4',
  tooLong: 'takes too long to convert. Use a shorter or smaller GIF, or an mp4, which is not converted',
}
const STICKER: Conversion = {
  target: 'webp',
  mimeType: 'image/webp',
  mostBytes: LIMITS.mediaMegabytes.sticker * MEGABYTE,
  unreadable: 'cannot be converted to a sticker. Use a PNG, JPEG or GIF of up to 30 megapixels, or a WebP file',
  tooLong: 'is too long to be converted to a sticker. Use a shorter GIF, or a WebP file, which is not converted',
}

/** A file as it is sent. */
export interface ReadyFile extends MediaFile {
  /** It has the form of a voice note, and is to be shown as one. */
  readonly isVoice?: true
  readonly loudness?: Buffer
}

/**
 * Turns a file into one that the network accepts and phones show as what was asked for. The given file is removed if
 * another takes its place, or if this fails.
 * @throws ApiError validation_error, service_unavailable
 */
export async function convertMedia(
  deps: ConvertDeps,
  draft: MediaDraft,
  { accountId, engine }: { readonly accountId: AccountId; readonly engine: Engine },
  given: MediaFile,
): Promise<ReadyFile> {
  try {
    const { conversion, isVoice, isOptional = false } = await planFor(draft, engine, given)
    const asVoice = isVoice && { isVoice }
    if (conversion === undefined) return accepted(draft, engine, { ...given, ...asVoice })
    const converted = await deps.converter.convert(accountId, conversion.target, given.content)
    if (isOptional && converted.kind !== 'done') return given
    const { bytes, loudness } = resultOf(draft, conversion, converted)
    const content = await deps.files.storeTemporarily(chunk(bytes), conversion.mostBytes)
    void given.remove().catch(() => {})
    const { mimeType } = conversion
    return { mimeType, content, remove: content.remove, ...asVoice, ...(loudness && { loudness }) }
  } catch (error) {
    await given.remove()
    throw error
  }
}

interface Plan {
  /** undefined: the file is sent as it is. */
  readonly conversion?: Conversion
  readonly isVoice?: true
  /** If it fails, the file is sent as it is. */
  readonly isOptional?: true
}

async function planFor(draft: MediaDraft, engine: Engine, { mimeType, content }: MediaFile): Promise<Plan> {
  const { mediaType, isGif } = draft
  if (mediaType === 'audio') return planForSound(draft, engine, mimeType, await headOf(content))
  if (isGif && mimeType === 'image/gif') return { conversion: GIF }
  if (mediaType === 'sticker' && mimeType !== 'image/webp') return forPicture(draft, STICKER, await headOf(content))
  if (mediaType === 'image' && TRAITS[engine].hasMediaRules && !isAcceptedByMeta(mediaType, mimeType))
    return forPicture(draft, PHOTO, await headOf(content))
  return {}
}

/** Opus in Ogg is what phones record, so it becomes a voice note even if nobody asked for one. */
function planForSound({ isVoice = false }: MediaDraft, engine: Engine, mimeType: string, head: Buffer): Plan {
  if (isVoiceNote(head)) return { isVoice: true }
  if (isVoice) return { conversion: VOICE, isVoice: true }
  if (isOggOpus(head)) return { conversion: VOICE, isVoice: true, isOptional: true }
  // Meta takes Ogg with Opus only.
  const mustChange = mimeType === 'audio/ogg' || !isAcceptedByMeta('audio', mimeType)
  return TRAITS[engine].hasMediaRules && mustChange ? { conversion: SOUND } : {}
}

function forPicture(draft: MediaDraft, conversion: Conversion, head: Buffer): Plan {
  if (!isDecodablePicture(head)) throw refused(draft, conversion.unreadable)
  return { conversion }
}

const isAcceptedByMeta = (mediaType: FileType, mimeType: string): boolean =>
  META_MEDIA[mediaType].types.includes(mimeType)

function accepted(draft: MediaDraft, engine: Engine, file: ReadyFile): ReadyFile {
  const fault = TRAITS[engine].hasMediaRules
    ? metaRefusal(draft.mediaType, file.mimeType, file.content.size)
    : undefined
  if (fault !== undefined) throw refused(draft, fault)
  return file
}

function resultOf(
  draft: MediaDraft,
  conversion: Conversion,
  converted: Converted,
): Extract<Converted, { kind: 'done' }> {
  switch (converted.kind) {
    case 'done':
      if (converted.bytes.length > conversion.mostBytes) throw refused(draft, conversion.tooLong)
      return converted
    case 'unreadable':
      throw refused(draft, conversion.unreadable)
    case 'too_slow':
      throw refused(draft, conversion.tooLong)
    case 'unavailable':
      throw new ApiError(
        'service_unavailable',
        'Too many files are being converted, so nothing was sent. Repeat the request in 10 seconds.',
        { 'Retry-After': '10' },
      )
  }
}

/** Where the size of a picture and the header of a sound are, pictures with a profile or a preview apart. */
const HEAD_BYTES = 512 * 1024

export const headOf = async (content: FileContent): Promise<Buffer> =>
  buffer(await content.read({ first: 0, last: Math.min(HEAD_BYTES, content.size) - 1 }))

// As one chunk: an iterable of the buffer itself would be read byte by byte.
async function* chunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

const refused = ({ source }: MediaDraft, fault: string) =>
  new ApiError(
    'validation_error',
    `The file ${'url' in source ? 'at media_url' : 'of media_id'} ${fault}. Nothing was sent.`,
  ).because('file_unusable')
