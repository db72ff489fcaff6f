import type { MessageContent } from '../contract/message-content.ts'
import type { Outgoing } from './engine.ts'
import { interactiveContent, templateSent } from './official/interactive-content.ts'

/** What a message on its way out is besides text and file: the same that the other side receives. */
export function contentOfOutgoing(out: Outgoing): MessageContent | null {
  switch (out.kind) {
    case 'location': {
      const { latitude, longitude, name, address } = out
      return { type: 'location', latitude, longitude, name, address, url: null, live: false }
    }
    case 'contact':
      return { type: 'contacts', contacts: [{ name: out.name, numbers: [out.number], vcard: null }] }
    case 'poll': {
      const max_choices = out.maxChoices >= out.options.length ? null : out.maxChoices
      return { type: 'poll', question: out.question, options: [...out.options], max_choices }
    }
    case 'text': {
      const { url, title = null, description = null } = out.preview ?? {}
      return url === undefined ? null : { type: 'link', url, title, description }
    }
    case 'forward':
      return out.details
    case 'cloud_api':
      return interactiveContent(out.payload) ?? templateSent(out.payload)
    case 'media':
      return null
  }
}
