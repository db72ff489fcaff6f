import { buffer } from 'node:stream/consumers'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { FileContent } from '../../kernel/file-content.ts'
import type { Files } from '../../kernel/files.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Converted, MediaConverter } from '../../kernel/media-converter.ts'
import type { MediaTarget } from '../../kernel/media-targets.ts'
import { isDecodablePicture } from '../../kernel/picture-size.ts'
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
  /** Called once nobody needs it any more. */
  readonly remove: () => Promise<void>
}

/** What a file must become, and what to tell whoever sent it if that fails. */
interface Conversion {
  readonly target: MediaTarget
  readonly mimeType: string
  readonly mostBytes: number
  readonly unreadable: string
  readonly tooLong: string
}

const MEGABYTE = 1024 * 1024

const VOICE: Conversion = {
  target: 'opus',
  mimeType: 'audio/ogg',
  mostBytes: LIMITS.mediaMegabytes.audio * MEGABYTE,
  unreadable:
    'cannot be converted to a voice note. Use an mp3, m4a, aac, wav or Ogg/Opus file, or remove voice to send it as an audio file',
  tooLong:
    'takes too long to convert to a voice note. Use a shorter recording, or an Ogg/Opus file with one channel, which is not converted',
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

/**
 * Turns a file into one that phones show as what was asked for. The given file is removed if another takes its place,
 * or if this fails.
 * @throws ApiError validation_error, service_unavailable
 */
export async function convertMedia(
  deps: ConvertDeps,
  draft: MediaDraft,
  accountId: AccountId,
  given: MediaFile,
): Promise<MediaFile & { readonly loudness?: Buffer }> {
  try {
    const conversion = await conversionFor(draft, given)
    if (conversion === undefined) return given
    const converted = await deps.converter.convert(accountId, conversion.target, given.content)
    const { bytes, loudness } = resultOf(draft, conversion, converted)
    const content = await deps.files.storeTemporarily(chunk(bytes), conversion.mostBytes)
    void given.remove().catch(() => {})
    return { mimeType: conversion.mimeType, content, remove: content.remove, ...(loudness && { loudness }) }
  } catch (error) {
    await given.remove()
    throw error
  }
}

async function conversionFor(draft: MediaDraft, { mimeType, content }: MediaFile) {
  const { mediaType, isVoice, isGif } = draft
  if (isVoice) return isMonoOpus(await headOf(content)) ? undefined : VOICE
  if (isGif && mimeType === 'image/gif') return GIF
  if (mediaType !== 'sticker' || mimeType === 'image/webp') return undefined
  if (!isDecodablePicture(await headOf(content))) throw refused(draft, STICKER.unreadable)
  return STICKER
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

const headOf = async (content: FileContent): Promise<Buffer> =>
  buffer(await content.read({ first: 0, last: Math.min(HEAD_BYTES, content.size) - 1 }))

/** As phones record: Opus in Ogg with one channel. */
function isMonoOpus(head: Buffer): boolean {
  const at = head.subarray(0, 512).indexOf('OpusHead')
  return head.toString('latin1', 0, 4) === 'OggS' && at !== -1 && head[at + 9] === 1
}

// As one chunk: an iterable of the buffer itself would be read byte by byte.
async function* chunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

const refused = ({ source }: MediaDraft, fault: string) =>
  new ApiError(
    'validation_error',
    `The file ${'url' in source ? 'at media_url' : 'of media_id'} ${fault}. Nothing was sent.`,
  ).because('file_unusable')
