import type { ApiError } from '../../contract/errors.ts'
import type { Engine } from '../../contract/shapes.ts'
import type { MessageId } from '../../kernel/ids.ts'
import { Answer } from '../handler.ts'
import type { SendReply } from './contract/sending.ts'

/** A message that has an ID and a status from now on. */
export interface SentMessage {
  /** `refused`: the network took the request and will not deliver the message; its status is `failed`. */
  readonly kind: 'accepted' | 'refused'
  readonly engine: Engine
  readonly messageId: MessageId
  /** A repeat with the same Idempotency-Key: this is the result of the first request. */
  readonly replayed: boolean
}

/** The result of a send. */
export type SendResult =
  | SentMessage
  /** Nothing left this machine, and the Idempotency-Key is free: the same send may be repeated later. */
  | {
      readonly kind: 'not_sent'
      readonly error: ApiError
      /** When the network ends the pause of its template; null or absent: it has not said. */
      readonly pausedUntilMs?: number | null
    }
  /** The message may have been sent. Repeating it with another key could send it twice. */
  | { readonly kind: 'unknown'; readonly error: ApiError }

type Sent = Omit<SentMessage, 'replayed'>

/** The body of the 201. It is kept with the Idempotency-Key, and a replay answers with the same bytes. */
export function sentBody({ kind, engine, messageId }: Sent): Buffer {
  const body: SendReply = { engine, sent: kind === 'accepted', message_id: messageId }
  return Buffer.from(JSON.stringify(body))
}

/** Reads what `sentBody` wrote. */
export function parseSentBody(bytes: Buffer): Sent {
  const { engine, sent, message_id } = JSON.parse(bytes.toString()) as SendReply
  return { kind: sent ? 'accepted' : 'refused', engine, messageId: message_id as MessageId }
}

/** The response of every operation that sends a message. @throws ApiError unless the message was sent. */
export function sendAnswer(result: SendResult): Answer<never> {
  if ('error' in result) throw result.error
  const headers: Record<string, string> = result.replayed ? { 'Idempotent-Replayed': 'true' } : {}
  return new Answer({ status: 201, bytes: sentBody(result), headers })
}
