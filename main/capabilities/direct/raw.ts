import { ApiError } from '../../contract/errors.ts'
import type { Draft } from '../messages/index.ts'
import type { RawMessage } from './contract.ts'

/** What a raw payload asks for: to send something, or to mark something as read. */
export type Raw =
  { readonly kind: 'send'; readonly draft: Draft } | { readonly kind: 'read'; readonly messageId: string }

/** @throws ApiError validation_error for a payload that has no destination, or names none that is a number. */
export function readRaw(payload: RawMessage): Raw {
  if (payload['status'] === 'read') return { kind: 'read', messageId: messageIdOf(payload) }
  const { to } = payload
  const digits = to?.replace(/^\+/, '')
  if (digits === undefined || !/^[0-9]{7,15}$/.test(digits)) {
    throw new ApiError(
      'validation_error',
      'to must be the destination number with country code: 7 to 15 digits, with or without a leading +.',
    )
  }
  return { kind: 'send', draft: { kind: 'cloud_api', to: digits, payload } }
}

function messageIdOf({ message_id: messageId }: RawMessage): string {
  if (typeof messageId === 'string' && messageId.length > 0 && messageId.length <= 256) return messageId
  throw new ApiError('validation_error', 'message_id must name the message to mark as read.')
}
