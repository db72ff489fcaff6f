import { ApiError } from '../../contract/errors.ts'
import type { MediaType } from '../../contract/shapes.ts'
import { sampleOf, sampleTypeAt, type Content, type Utterance } from '../../engines/sandbox/index.ts'
import type { SpeechBody } from './contract.ts'
import { safeFilename } from '../../engines/safe-filename.ts'

/** What a phone is to say. @throws ApiError validation_error for a body that is neither text nor media. */
export function toUtterance(body: SpeechBody): Utterance {
  return { to: body.to, group: body.group ?? null, content: { ...contentOf(body), ...extrasOf(body) } }
}

function contentOf(body: SpeechBody): Content {
  const { text, media_type: type, media_url: url, caption, filename } = body
  if (text !== undefined && type !== undefined) throw invalid('Give either text or media_type, not both.')
  if (text === undefined && type === undefined)
    throw invalid('The message is empty. Give text, or media_type to send a sample file.')
  if (type !== undefined) return fileOf(type, url, caption, filename)
  if (url ?? caption ?? filename) throw invalid('media_url, caption and filename need media_type.')
  return { type: 'text', text: text ?? null }
}

function fileOf(
  type: MediaType,
  url: string | undefined,
  caption: string | undefined,
  filename: string | undefined,
): Content {
  const { name, mimeType, bytes } = sampleOf(type)
  if (url !== undefined && sampleTypeAt(url) !== type) {
    throw invalid(`media_url must be https://media.sandbox/${name}, or be left out.`)
  }
  const media = { mimeType, size: bytes.length, filename: safeFilename(filename) ?? name, caption: caption ?? null }
  return { type, text: null, media }
}

function extrasOf({ quoted_message_id: quoted, referral }: SpeechBody): Pick<Content, 'quoted' | 'referral'> {
  return { ...(quoted === undefined ? {} : { quoted }), ...(referral === undefined ? {} : { referral }) }
}

const invalid = (message: string) => new ApiError('validation_error', message)
