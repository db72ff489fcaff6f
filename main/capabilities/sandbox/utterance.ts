import { Check } from 'typebox/value'
import { ApiError } from '../../contract/errors.ts'
import { MessageContent } from '../../contract/message-content.ts'
import type { MediaType } from '../../contract/shapes.ts'
import { wordsOf } from '../../engines/content-words.ts'
import { sampleOf, sampleTypeAt, type Content, type Utterance } from '../../engines/sandbox/index.ts'
import type { SpeechBody } from './contract/messages.ts'
import { safeFilename } from '../../engines/safe-filename.ts'

/** The message that a phone sends. @throws ApiError validation_error for a body that is neither text nor media. */
export function toUtterance(body: SpeechBody): Utterance {
  return { to: body.to, group: body.group ?? null, content: withExtras(contentOf(body), body) }
}

function contentOf(body: SpeechBody): Content {
  const { text, media_type: type, media_url: url, caption, filename, content, view_once: viewOnce = false } = body
  const given = [text, type, content].filter((each) => each !== undefined)
  if (given.length > 1) throw invalid('Give one of text, media_type and content, not several.')
  if (given.length === 0)
    throw invalid('The message is empty. Give text, content, or media_type to send a sample file.').because(
      'message_empty',
    )
  if (type !== undefined) return { ...fileOf(type, url, caption, filename), ...(viewOnce && { viewOnce }) }
  if (url ?? caption ?? filename) throw invalid('media_url, caption and filename need media_type.')
  if (viewOnce) throw invalid('view_once needs media_type.')
  if (content !== undefined) return toContent(content)
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

/** Kinds with a message type of their own; all others are texts. */
const TYPES: Readonly<Record<string, string>> = {
  location: 'location',
  contacts: 'contact',
  poll: 'poll',
  unavailable: 'unavailable',
}

function toContent(given: object): Content {
  if (!Check(MessageContent, given)) throw invalid('content is not a kind of content, or lacks a field of it.')
  if (given.type === 'poll_vote') throw invalid('Vote with POST …/messages/{id}/vote.')
  return {
    type: TYPES[given.type] ?? 'text',
    text: wordsOf(given),
    content: given,
    ...detailsOf(given),
    ...(given.type === 'unavailable' && given.reason === 'view_once' && { viewOnce: true }),
  }
}

/** The details that the simulated Graph API reports. */
function detailsOf(content: MessageContent): Pick<Content, 'details'> {
  if (content.type === 'location') {
    const { latitude, longitude, name, address } = content
    return { details: { latitude, longitude, name, address } }
  }
  if (content.type !== 'contacts') return {}
  const { name = '', numbers = [] } = content.contacts[0] ?? {}
  return { details: { name, number: numbers[0] ?? '' } }
}

function withExtras(content: Content, body: SpeechBody): Content {
  const { quoted_message_id: quoted, referral, forwarded = false, frequently_forwarded: isFrequent = false } = body
  if (isFrequent && !forwarded) throw invalid('frequently_forwarded needs forwarded.')
  if (forwarded && quoted !== undefined)
    throw invalid('A forwarded message cannot quote another. Leave out one of both.')
  const marks = { forwarded: true, ...(isFrequent && { frequently_forwarded: true }) }
  return {
    ...content,
    ...(quoted !== undefined && { quoted }),
    ...(referral !== undefined && { referral }),
    ...(forwarded && { details: { ...content.details, ...marks } }),
  }
}

const invalid = (message: string) => new ApiError('validation_error', message)
