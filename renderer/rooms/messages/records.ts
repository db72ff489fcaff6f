import type { MessageErrorShape, MessageStatus, Source } from '../../../main/contract/shapes.ts'

/** Shapes of the console's operations on conversations. */

interface LastMessage {
  readonly message_id: string
  readonly direction: Direction
  readonly type: string
  readonly text: string | null
  readonly status: MessageStatus | null
  readonly at: string
}

export interface Conversation {
  readonly chat: string
  readonly name: string | null
  readonly is_group: boolean
  readonly last: LastMessage | null
  readonly messages: number
  readonly last_inbound_at: string | null
}

/** `out`: we sent it. `phone`: it was typed on the number's own phone. `in`: somebody else did. */
type Direction = 'out' | 'phone' | 'in'

interface Media {
  readonly mime_type: string | null
  readonly filename: string | null
  readonly size: number | null
  readonly url: string | null
}

export interface ChatMessage {
  readonly message_id: string
  readonly engine_message_id: string | null
  readonly direction: Direction
  readonly type: string
  /** Of media its caption; empty when there is none or it was deleted. */
  readonly text: string | null
  readonly media: Media | null
  readonly sender: string | null
  readonly push_name: string | null
  readonly status: MessageStatus | null
  readonly error: Pick<MessageErrorShape, 'code' | 'message'> | null
  readonly source: Source | null
  readonly quoted_message_id: string | null
  readonly reactions: readonly { readonly sender: string; readonly emoji: string }[]
  readonly created_at: string
  readonly sent_at: string | null
  readonly delivered_at: string | null
  readonly read_at: string | null
  readonly failed_at: string | null
  readonly edited_at: string | null
  readonly deleted_at: string | null
}

export interface Page<T> {
  readonly data: T[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}
