import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { Handlers } from '../handler.ts'
import type { messagesContract } from './contract.ts'
import type { Messages } from './index.ts'
import { toConversation, toThreadMessage, type Consent } from './conversation-record.ts'
import { decodeKeyHeader } from './key-header.ts'
import { toRecord } from './record.ts'
import { sendAnswer } from './send-result.ts'

/** Opt-out state by chat. */
export type ConsentOf = (
  accountId: AccountId,
  instanceId: InstanceId,
  chats: readonly string[],
) => Promise<ReadonlyMap<string, Consent>>

/** What the people are written under whose name in the contacts fits. */
export type AddressesOf = (accountId: AccountId, q: string, most: number) => Promise<ReadonlySet<string>>

/** Contacts that a search looks at, besides the names that the chats have themselves. */
const MOST_NAMED = 2_000

export function messagesHandlers(
  messages: Messages,
  consentOf: ConsentOf,
  addressesOf: AddressesOf,
): Handlers<typeof messagesContract> {
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
      const { q } = query
      const named = q === undefined ? undefined : await addressesOf(instance.accountId, q, MOST_NAMED)
      const { data, nextCursor } = await messages.conversations(instance.id, { ...query, named })
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
