import { ApiError } from '../../contract/errors.ts'
import { readDraft, type Draft } from '../messages/index.ts'
import type { ActionBody, ACTIONS } from './contract/actions.ts'
import { fieldsOf } from './fields.ts'

type SendAction = (typeof ACTIONS)['send'][number]

/** Turns the fields of each send into a draft. */
const DRAFTS: Readonly<Record<SendAction, (body: ActionBody) => Draft>> = {
  text(body) {
    return readDraft(sendFields('text', body, ['to', 'text'], ['mentions']), 'smv2')
  },
  link(body) {
    const {
      to,
      url,
      text = url,
      title,
      description,
      mentions,
    } = sendFields('link', body, ['to', 'url'], ['text', 'title', 'description', 'mentions'])
    requireWebAddress(url)
    // The URL is in the text too, for apps that show no preview.
    const words = text.includes(url) ? text : `${text}\n${url}`
    const said = readDraft({ to, text: words, ...(mentions && { mentions }) }, 'smv2')
    if (said.kind !== 'text') throw new Error('a text that was read as something else')
    return { ...said, preview: { url, title: title ?? null, description: description ?? null } }
  },
  media(body) {
    return readDraft(
      sendFields('media', body, ['to', 'media_url', 'media_type'], ['caption', 'filename', 'gif', 'voice', 'mentions']),
      'smv2',
    )
  },
  sticker(body) {
    const { to, media_url: url } = sendFields('sticker', body, ['to', 'media_url'])
    return { kind: 'media', to, source: { url }, mediaType: 'sticker', caption: null, filename: null }
  },
  poll(body) {
    const fields = sendFields('poll', body, ['to', 'question', 'options'], ['max_choices'])
    const { to, question, options, max_choices: maxChoices = 1 } = fields
    if (maxChoices <= options.length) return { kind: 'poll', to, question, options, maxChoices }
    throw new ApiError('validation_error', `max_choices must be ${options.length} or less, the number of options.`)
  },
  location(body) {
    const fields = sendFields('location', body, ['to', 'latitude', 'longitude'], ['name', 'address'])
    const { to, latitude, longitude, name = null, address = null } = fields
    return { kind: 'location', to, latitude, longitude, name, address }
  },
  contact(body) {
    if (body.contacts === undefined) {
      const { to, name, number } = sendFields('contact', body, ['to', 'name', 'number'])
      return { kind: 'contact', to, name, number }
    }
    const { to, contacts } = sendFields('contact', body, ['to', 'contacts'])
    const [first, ...others] = contacts
    if (first === undefined) throw new Error('the schema asks for a contact')
    return { kind: 'contact', to, ...first, ...(others.length > 0 && { others }) }
  },
}

/** The fields of a send. Every send may quote a message. */
const sendFields = <R extends keyof ActionBody, O extends keyof ActionBody = never>(
  action: SendAction,
  body: ActionBody,
  required: readonly R[],
  optional: readonly O[] = [],
) => fieldsOf<R, O | 'quoted_message_id'>(`send/${action}`, body, required, [...optional, 'quoted_message_id'])

const isSend = (action: string): action is SendAction => Object.hasOwn(DRAFTS, action)

/** @returns undefined when the action does not send. @throws ApiError validation_error, invalid_url */
export function findDraft(group: string, action: string, body: ActionBody): Draft | undefined {
  if (group === 'message' && action === 'forward') {
    const { to, message_id: messageId } = fieldsOf('message/forward', body, ['message_id', 'to'])
    return { kind: 'forward', to, messageId }
  }
  if (group !== 'send' || !isSend(action)) return undefined
  const { quoted_message_id: quotedMessageId } = body
  const draft = DRAFTS[action](body)
  // No action of the table creates these two.
  return quotedMessageId === undefined || draft.kind === 'cloud_api' || draft.kind === 'forward'
    ? draft
    : { ...draft, quotedMessageId }
}

/** The URL is only displayed, so any web address is allowed; `javascript:` would run on the reader's device. */
function requireWebAddress(url: string): void {
  const { protocol } = URL.parse(url) ?? {}
  if (protocol === 'https:' || protocol === 'http:') return
  throw new ApiError('invalid_url', 'url must begin with https:// or http://.')
}
