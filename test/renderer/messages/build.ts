import type { ChatMessage, Page } from '../../../renderer/rooms/messages/records.ts'

const FROM = new Date(2026, 2, 1, 9, 0).getTime()

/** The request message of a conversation, a minute after the one before. */
export const message = (n: number, own: Partial<ChatMessage> = {}): ChatMessage => ({
  message_id: `msg_${n}`,
  engine_message_id: null,
  direction: 'in',
  type: 'text',
  text: `words ${n}`,
  media: null,
  content: null,
  view_once: false,
  forwarded: false,
  frequently_forwarded: false,
  poll: null,
  sender: '12025550123',
  push_name: null,
  status: null,
  error: null,
  source: null,
  quoted_message_id: null,
  reactions: [],
  created_at: new Date(FROM + n * 60_000).toISOString(),
  sent_at: null,
  delivered_at: null,
  read_at: null,
  failed_at: null,
  held_since: null,
  valid_until: null,
  edited_at: null,
  deleted_at: null,
  ...own,
})

/** Messages `from` to `to`, newest first, as the service pages them. */
export const page = (from: number, to: number, older: string | null): Page<ChatMessage> => ({
  data: Array.from({ length: to - from + 1 }, (_, index) => message(to - index)),
  next_cursor: older,
  has_more: older !== null,
})
