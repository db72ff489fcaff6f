import { ApiError } from '../../contract/errors.ts'
import type { Draft } from '../messages/index.ts'
import type { RawMessage } from './contract.ts'

/** A raw payload either sends a message or marks one as read. */
export type Raw =
  | { readonly kind: 'send'; readonly draft: Draft }
  | { readonly kind: 'read'; readonly messageId: string; readonly isTyping: boolean }

/** @throws ApiError validation_error without a recipient, or without the message to mark as read. */
export function parseRaw(payload: RawMessage): Raw {
  const { to, recipient, message_id: messageId, typing_indicator: typing } = payload
  if (payload['status'] === 'read') {
    if (messageId !== undefined) return { kind: 'read', messageId, isTyping: typing !== undefined }
    throw new ApiError('validation_error', 'message_id must name the message to mark as read.')
  }
  if (to !== undefined) return { kind: 'send', draft: { kind: 'cloud_api', to: to.replace(/^\+/, ''), payload } }
  if (recipient !== undefined) return { kind: 'send', draft: { kind: 'cloud_api', to: recipient, payload } }
  throw new ApiError(
    'validation_error',
    'to is missing. It must be the destination number with country code, with or without a leading +.',
  )
}
