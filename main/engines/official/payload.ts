import { USER_ID } from '../../contract/addresses.ts'
import type { MessageId } from '../../kernel/ids.ts'
import { dialledNumber } from '../../kernel/phone-number.ts'
import type { Outgoing } from '../engine.ts'
import { isGroupName, metaGroupId } from './group-id.ts'
import { isMetaVoiceNote } from './media-rules.ts'
import type { Json } from './json.ts'

/** The request body of a message, or why there is none. */
export type Payload =
  | { readonly kind: 'payload'; readonly text: string }
  | { readonly kind: 'wrong'; readonly message: string }

const IS_USER_ID = new RegExp(`^${USER_ID}$`)

/**
 * The exact text of the request. Keys of a raw payload are kept in their order; the fields that Graph requires in
 * every message are put in front if they are missing.
 * @param mediaId of the uploaded file of a media message.
 */
export function payloadOf(out: Outgoing, messageId: MessageId, mediaId: string | null): Payload {
  if (out.kind === 'cloud_api') return { kind: 'payload', text: rawPayload(out.to, out.payload as Json, messageId) }
  const content = contentOf(out, mediaId)
  if (content === undefined) return wrong(`The official engine has no ${out.kind} messages of its own. Use cloud_api.`)
  const head = { messaging_product: 'whatsapp', recipient_type: recipientType(out.to), ...addressed(out.to) }
  const answered = 'quoted' in out && { context: { message_id: out.quoted.engineMessageId } }
  const payload = { ...head, ...answered, ...content, biz_opaque_callback_data: messageId }
  return { kind: 'payload', text: JSON.stringify(payload) }
}

/** Meta finds the account by the number as dialled today, even if the account uses an older spelling. */
function addressed(to: string) {
  if (isGroupName(to)) return { to: metaGroupId(to) }
  return IS_USER_ID.test(to) ? { recipient: to } : { to: dialledNumber(to) }
}

const recipientType = (to: string) => (isGroupName(to) ? 'group' : 'individual')

function contentOf(out: Exclude<Outgoing, { kind: 'cloud_api' }>, mediaId: string | null): object | undefined {
  switch (out.kind) {
    case 'text':
      return { type: 'text', text: { body: out.text, preview_url: out.preview !== undefined } }
    case 'media': {
      const { mediaType: type, caption, filename, isVoice = false, content } = out
      const mayHaveCaption = type !== 'audio' && type !== 'sticker'
      const words = mayHaveCaption && caption !== null ? { caption } : {}
      const name = type === 'document' && filename !== null ? { filename } : {}
      const voice = isMetaVoiceNote({ isVoice, size: content.size }) ? { voice: true } : {}
      return { type, [type]: { id: mediaId, ...words, ...name, ...voice } }
    }
    case 'location': {
      const { latitude, longitude, name, address } = out
      return { type: 'location', location: { latitude, longitude, ...(name && { name }), ...(address && { address }) } }
    }
    case 'contact': {
      const contacts = [out, ...(out.others ?? [])].map(({ name, number }) => ({
        name: { formatted_name: name, first_name: name },
        phones: [{ phone: `+${number}`, wa_id: number }],
      }))
      return { type: 'contacts', contacts }
    }
    case 'poll':
    case 'forward':
      return undefined
  }
}

/** Adds the fields that every Graph message has, and passes on the other fields of a raw payload. */
function rawPayload(to: string, payload: Json, messageId: MessageId): string {
  const { to: ownTo, recipient } = payload
  const added = {
    ...(Object.hasOwn(payload, 'messaging_product') ? {} : { messaging_product: 'whatsapp' }),
    ...(Object.hasOwn(payload, 'recipient_type') ? {} : { recipient_type: recipientType(to) }),
    ...(ownTo === undefined && recipient === undefined ? addressed(to) : {}),
  }
  const opaque = Object.hasOwn(payload, 'biz_opaque_callback_data') ? {} : { biz_opaque_callback_data: messageId }
  return JSON.stringify({ ...added, ...payload, ...opaque })
}

/** Whether callbacks about the message will carry our id. */
export function carriesOurId(out: Outgoing): boolean {
  return out.kind !== 'cloud_api' || !Object.hasOwn(out.payload, 'biz_opaque_callback_data')
}

const wrong = (message: string): Payload => ({ kind: 'wrong', message })
