import { isUtf8 } from 'node:buffer'
import { Answer, type Handlers } from '../handler.ts'
import type { messagesContract } from './contract.ts'
import type { Messages } from './index.ts'
import { toRecord } from './record.ts'

export function messagesHandlers(messages: Messages): Handlers<typeof messagesContract> {
  return {
    async sendMessage(call) {
      const { bytes, replayed } = await messages.send({
        instance: call.instance,
        body: call.body,
        rawBody: () => call.rawBody,
        idempotencyKey: keyText(call.idempotencyKey),
        source: call.principal.source,
      })
      return new Answer({ bytes, headers: replayed ? { 'Idempotent-Replayed': 'true' } : {} })
    },

    async getMessage({ instance, params }) {
      return toRecord(await messages.get(instance.id, params.message_id), instance.engine)
    },

    async findMessage({ instance, query }) {
      return toRecord(await messages.getByKey(instance.id, query.idempotency_key), instance.engine)
    },
  }
}

/**
 * The key as the text its sender typed. Node reads header bytes as Latin-1, a query is read as UTF-8; without this a
 * key with an umlaut could not be looked up.
 */
export function keyText(header: string | null): string | null {
  if (header === null || /^[\x20-\x7e]*$/.test(header) || /[^\x00-\xff]/.test(header)) return header
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : header
}
