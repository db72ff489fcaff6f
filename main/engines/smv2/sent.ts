import { createHash } from 'node:crypto'
import type { proto } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { InstanceId, MessageId } from '../../kernel/ids.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { LoadLibrary } from './library.ts'
import type { Polls } from './polls.ts'
import { insertSent, removeSent, sentByEngineId } from './store.ts'

export interface Sent {
  /**
   * @returns what stores the message in the commit before a byte leaves: from then on what the network says about it
   * finds it.
   */
  journal(
    id: InstanceId,
    engineId: string,
    messageId: MessageId | null,
    message: proto.IMessage,
  ): Promise<(tx: Tx) => Promise<void>>
  /** It did not leave after all. */
  forget(id: InstanceId, engineId: string): Promise<void>
  /** Which of our messages the network speaks of; null: none that is known here. */
  messageIdOf(id: InstanceId, engineId: string): Promise<MessageId | null>
  /** The content, for a phone that could not read it. */
  messageOf(id: InstanceId, engineId: string): Promise<proto.IMessage | undefined>
}

interface SentNeeds {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly seal: Seal
  readonly loadLibrary: LoadLibrary
  readonly polls: Pick<Polls, 'keep'>
}

export function createSent({ db, clock, seal, loadLibrary, polls }: SentNeeds): Sent {
  const owner = (id: InstanceId, engineId: string) => `smv2:${id}:sent:${engineId}`
  return {
    async journal(instanceId, engineId, messageId, message) {
      const library = await loadLibrary()
      const sealed = seal.seal(Buffer.from(library.proto.Message.encode(message).finish()), owner(instanceId, engineId))
      return async (tx) => {
        const row = { seq: await tx.next('smv2'), instanceId, engineId, messageId, sealed, now: clock.now() }
        await tx.run(insertSent, row)
        await polls.keep(tx, library, instanceId, engineId, message, null)
      }
    },
    async forget(instanceId, engineId) {
      await db.commit((tx) => tx.run(removeSent, { instanceId, engineId }))
    },
    messageIdOf: async (instanceId, engineId) =>
      (await db.readOne(sentByEngineId, { instanceId, engineId }))?.messageId ?? null,
    async messageOf(instanceId, engineId) {
      const row = await db.readOne(sentByEngineId, { instanceId, engineId })
      if (row === undefined) return undefined
      const { proto } = await loadLibrary()
      return proto.Message.decode(seal.openBytes(row.sealed, owner(instanceId, engineId)))
    },
  }
}

/**
 * The network's id of a message of ours, in the form its own web client gives: made from our id, so that a message has
 * one and the same however often it is asked for.
 */
export const engineIdOf = (messageId: string): string =>
  `3EB0${createHash('sha256').update(messageId).digest('hex').slice(0, 18).toUpperCase()}`
