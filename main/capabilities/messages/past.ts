import type { HistoryMessage } from '../../engines/history.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId, Ids, InstanceId } from '../../kernel/ids.ts'
import { chatAsFirstGiven } from './chat-name.ts'
import { columnsOf } from './inbound.ts'
import {
  anyByEngineId,
  fillReceived,
  highestSeqBetween,
  insertReceived,
  nameChat,
  receivedByEngineId,
  unavailableByEngineId,
} from './store.ts'

interface PastDeps {
  readonly ids: Pick<Ids, 'message'>
  readonly onStored: (instanceId: string, chat: string) => void
}

export interface Past {
  /**
   * Stores messages of before, without events. Those that are here already stay as they are, unless they have been
   * without their file so far.
   * @returns how many were new.
   */
  importPast(
    tx: Tx,
    of: { readonly instanceId: InstanceId; readonly accountId: AccountId },
    messages: readonly HistoryMessage[],
  ): Promise<number>
  /** What a chat is called, unless its contact's own name is known. */
  nameChat(tx: Tx, instanceId: InstanceId, chat: string, name: string): Promise<void>
}

/**
 * Messages are numbered in the order in which they came, and lists are in that order. What was said before is numbered
 * below zero, by its time: it stands before everything else, and nothing that counts on from a number meets it.
 */
const FIRST_SECOND = -(2 ** 52)
const PER_SECOND = 2 ** 20
const firstSeqOf = (atMs: number) => FIRST_SECOND + Math.floor(atMs / 1_000) * PER_SECOND

export function createPast({ ids, onStored }: PastDeps): Past {
  async function importOne(
    tx: Tx,
    { instanceId, accountId }: { instanceId: InstanceId; accountId: AccountId },
    reported: HistoryMessage,
  ): Promise<number> {
    const { engineMessageId, atMs } = reported
    const placeholder = await tx.one(unavailableByEngineId, { instanceId, engineMessageId })
    if (placeholder !== undefined && reported.type !== 'unavailable') {
      const columns = columnsOf({ ...reported, chat: placeholder.chat }, placeholder.quotedMessageId)
      await tx.run(fillReceived, { ...columns, seq: placeholder.seq })
      tx.afterCommit(() => onStored(instanceId, placeholder.chat))
      return 1
    }
    if (reported.chat === '') return 0
    const chat = await chatAsFirstGiven(tx, instanceId, reported.chat)
    const from = reported.from === reported.chat ? chat : reported.from
    const message = { ...reported, chat, from }
    if (await tx.one(receivedByEngineId, { instanceId, engineMessageId, chat })) return 0
    // Sent through this service.
    if ((await tx.one(anyByEngineId, { instanceId, engineMessageId }))?.direction === 'out') return 0
    const quoted = message.quotedEngineMessageId
    const quotedId = quoted && ((await tx.one(anyByEngineId, { instanceId, engineMessageId: quoted }))?.id ?? quoted)
    const first = firstSeqOf(atMs)
    const highest = (await tx.one(highestSeqBetween, { first, end: first + PER_SECOND }))?.seq ?? first - 1
    await tx.run(insertReceived, {
      ...columnsOf(message, quotedId),
      seq: highest + 1,
      id: ids.message(),
      accountId,
      instanceId,
    })
    tx.afterCommit(() => onStored(instanceId, chat))
    return 1
  }

  return {
    async importPast(tx, of, messages) {
      let count = 0
      // Oldest first: numbers of one second follow their order.
      for (const message of messages.toSorted((a, b) => a.atMs - b.atMs)) count += await importOne(tx, of, message)
      return count
    },
    async nameChat(tx, instanceId, chat, name) {
      if ((await tx.run(nameChat, { instanceId, chat, name })) > 0) tx.afterCommit(() => onStored(instanceId, chat))
    },
  }
}
