import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { Handlers } from '../handler.ts'
import type { messagesContract } from './contract.ts'
import type { Messages } from './index.ts'
import { toConversation, toThreadMessage, type Consent } from './conversation-record.ts'
import { decodeKeyHeader } from './key-header.ts'
import { toRecord } from './record.ts'
import { sendAnswer } from './send-result.ts'

/** Who of the chats of an instance is opted out, and who may have asked for it. */
/** Opt-out state by chat. */
export type ConsentOf = (
  accountId: AccountId,
  instanceId: InstanceId,
  chats: readonly string[],
) => Promise<ReadonlyMap<string, Consent>>

export function messagesHandlers(messages: Messages, consentOf: ConsentOf): Handlers<typeof messagesContract> {
  return {
    uploadMedia: ({ principal, body, query }) =>
      messages.uploads.add(principal.accountId, body, query.filename ?? null),

    async sendMessage(call) {
      const { instance, body, principal, requireAccess } = call
      const idempotencyKey = decodeKeyHeader(call.idempotencyKey)
      const { source } = principal
      const rawBody = () => call.rawBody
      return sendAnswer(await messages.send({ instance, body, rawBody, idempotencyKey, source, requireAccess }))
    },

    async getMessage({ instance, params }) {
      const message = await messages.get(instance.id, params.message_id)
      return toRecord(message, instance.engine, await messages.priceOf(message.id))
    },

    async findMessage({ instance, query }) {
      const message = await messages.getByKey(instance.id, query.idempotency_key)
      return toRecord(message, instance.engine, await messages.priceOf(message.id))
    },

    getPoll: ({ instance, params }) => messages.poll(instance.id, params.message_id),

    async listConversations({ instance, query }) {
      const { data, nextCursor } = await messages.conversations(instance.id, query)
      const people = data.filter(({ isGroup }) => !isGroup).map(({ chat }) => chat)
      const consent = await consentOf(instance.accountId, instance.id, people)
      const shown = data.map((one) => toConversation(one, consent.get(one.chat)))
      return { data: shown, next_cursor: nextCursor, has_more: nextCursor !== null }
    },

    async setConversationUnread({ instance, params, body }) {
      await messages.setUnread(instance.id, params.chat, body.unread)
    },

    countUnread: ({ principal }) => messages.countUnread(principal.accountId),

    async listThread({ instance, params, query }) {
      const { data, nextCursor } = await messages.thread(instance.id, params.chat, query)
      const said = data.map((one) => toThreadMessage(instance.id, one))
      return { data: said, next_cursor: nextCursor, has_more: nextCursor !== null }
    },

    async getThreadMessage({ instance, params }) {
      const said = await messages.threadMessage(instance.id, params.message_id)
      return { chat: said.chat, message: toThreadMessage(instance.id, said) }
    },
  }
}
