import type { Outgoing } from '../engine.ts'
import { contentOfOutgoing } from '../content-of-outgoing.ts'
import { interactiveBody } from '../official/interactive-content.ts'
import type { Content } from './inbox.ts'

type Sendable = Exclude<Outgoing, { kind: 'forward' }>

/** A message as stored by the phone. Content without text is in `details`, with the field names of the wire. */
export function contentOf(out: Sendable): Content {
  const quoted = quotedIdOf(out)
  const content = contentOfOutgoing(out)
  const words = withMentions(contentWithoutQuote(out), out)
  return { ...words, ...(content && { content }), ...(quoted !== undefined && { quoted }) }
}

function withMentions(content: Content, out: Sendable): Content {
  if (out.kind === 'cloud_api' || out.mentions === undefined) return content
  return { ...content, details: { ...content.details, mentions: out.mentions } }
}

/** The content that a phone shows for a forwarded message. */
export function forwardedContent({ quoted: _q, referral: _r, ...content }: Content): Content {
  return { ...content, details: { ...content.details, forwarded: true } }
}

/** The network's id of the quoted message. */
function quotedIdOf(out: Sendable): string | undefined {
  if (out.kind !== 'cloud_api') return out.quoted?.engineMessageId
  const { type, context } = out.payload as { type?: unknown; context?: { message_id?: unknown } | null }
  // Meta shows no quote in a template.
  return type === 'template' || typeof context?.message_id !== 'string' ? undefined : context.message_id
}

function contentWithoutQuote(out: Sendable): Content {
  switch (out.kind) {
    case 'text':
      return { type: 'text', text: out.text, ...(out.preview && { details: { ...out.preview } }) }
    case 'media': {
      const { mediaType, mimeType, content, filename, caption } = out
      const media = { mimeType, size: content.size, filename, caption }
      return { type: mediaType, text: null, media, ...(out.isGif === true && { details: { gif: true } }) }
    }
    case 'location': {
      const { latitude, longitude, name, address } = out
      const words = [name, address].filter((each) => each !== null).join(', ')
      return { type: 'location', text: words, details: { latitude, longitude, name, address } }
    }
    case 'contact': {
      const { name, number, others } = out
      return { type: 'contact', text: name, details: { name, number, ...(others && { others }) } }
    }
    case 'poll': {
      const { question, options, maxChoices: max_choices } = out
      return { type: 'poll', text: question, details: { question, options, max_choices } }
    }
    case 'cloud_api': {
      const { type = 'text', text } = out.payload as { type?: string; text?: { body?: unknown } }
      const words = typeof text?.body === 'string' ? text.body : interactiveBody(out.payload) || null
      return { type, text: words, payload: out.payload }
    }
  }
}
