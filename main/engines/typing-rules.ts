import { ApiError } from '../contract/errors.ts'
import type { MessageRef, TypingState } from './direct.ts'

/**
 * Meta shows that somebody is typing only together with the read mark of a message it has delivered, for at most 25
 * seconds ("Typing indicators"). It has no indicator in groups.
 * @returns the message that is marked as read.
 */
export function messageToTypeUnder(to: string, state: TypingState, received: MessageRef | null = null): MessageRef {
  if (to.endsWith('@g.us'))
    throw new ApiError('engine_mismatch', 'The official engine shows no typing indicator in groups.')
  if (state !== 'typing')
    throw new ApiError(
      'engine_mismatch',
      `The official engine cannot show ${state}. Use typing; it ends after 25 seconds, or when a message is sent.`,
    )
  if (received !== null) return received
  throw new ApiError(
    'invalid_state',
    'This person has not written to this number. Meta shows typing only with the read mark of a received message.',
  ).because('typing_needs_message')
}
