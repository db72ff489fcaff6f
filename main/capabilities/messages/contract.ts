import type { Contract } from '../../contract/operation.ts'
import { sendingContract } from './contract/sending.ts'
import { chatsContract } from './contract/chats.ts'

export type { SendBody } from './contract/sending.ts'
export type { MessageRecord } from './contract/parts.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    messages: true
    conversations: true
  }
}

export const messagesContract = {
  ...sendingContract,
  ...chatsContract,
} as const satisfies Contract
