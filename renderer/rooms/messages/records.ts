import type { Item } from '../../app/operation-types.ts'

export type Conversation = Item<'listConversations'>
export type ChatMessage = Item<'listThread'>

export interface Page<T> {
  readonly data: T[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}
