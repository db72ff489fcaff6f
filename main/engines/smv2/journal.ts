import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { SealBroken, type Seal } from '../../kernel/seal.ts'
import { createSlotQueue } from '../../kernel/slot-queue.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import type { Alarms } from '../alarms.ts'
import type { EngineInstance } from '../engine.ts'
import type { Inbound } from './inbound.ts'
import { createJournalReader } from './journal-reader.ts'
import { decryptedIn } from './journal-row.ts'
import type { DecryptedMessage } from './repository.ts'
import {
  inboundByDigest,
  markPublished,
  nextInstanceWithUnpublished,
  unpublishedPage,
  unpublishedRows,
  type InboundRow,
} from './store.ts'

export interface Journal {
  /** Call after a commit that stored something new. */
  wake(instance: EngineInstance): void
  /** The decrypted message of these bytes, if they arrived before. */
  findDecrypted(instance: EngineInstance, digest: string): Promise<DecryptedMessage | undefined>
  /** Starts publishing, including what the last process left. */
  open(): Promise<void>
  /** Resolves when nothing is being published. Unpublished rows stay in storage. */
  close(): Promise<void>
}

interface JournalDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Log
  readonly alarms: Alarms
  readonly seal: Seal
  readonly inbound: Pick<Inbound, 'publish'>
}

const PAGE = 64
const RETRY_MS = 1_000
/** Pages are read one after the other; accounts take turns. */
const READS = { inAll: 2, perAccount: 1 }
/** All accounts share the thread that commits, so the number of commits of one account is limited. */
const PUBLISHED_AT_ONCE = { inAll: 128, perAccount: 64 }
/** A message that takes longer is waiting for a file, and does not block others. */
const SLOW_MS = 250
/** A row the rooms refuse this often no longer blocks its chat. It is retried after the next start. */
const MAX_TRIES = 5

/**
 * Publishes stored inbound messages at least once: a row is marked only after the rooms have it durably, and they ignore
 * repeats. Messages of one chat are published in order. Chats do not wait for each other, so a slow file delays only
 * its own chat.
 * Not jobs: a row is the received message itself, and a job for each would add two commits to it.
 */
export function createJournal({ db, clock, log, alarms, seal, inbound }: JournalDeps): Journal {
  const readers = new Map<InstanceId, ReturnType<typeof createJournalReader<InboundRow>>>()
  const tries = new Map<number, number>()
  const [reads, slots] = [createSlotQueue(READS), createSlotQueue(PUBLISHED_AT_ONCE)]
  let isOpen = false

  function readerOf(instance: EngineInstance) {
    const known = readers.get(instance.id)
    if (known) return known
    const reader = createJournalReader<InboundRow>({
      page: (after) =>
        readInTurn(instance, () => db.read(unpublishedPage, { instanceId: instance.id, after, limit: PAGE })),
      pageSize: PAGE,
      rows: (seqs) => readInTurn(instance, async () => (await unpublishedRows.over(seqs, {}, db.read)).flat()),
      laneOf: chatOf,
      act: (row) => publishInTurn(instance, row),
      onFailure(error) {
        log.warn({ event: 'smv2.journal_retry', instanceId: instance.id, cause: cause(error) })
        alarms.set(`journal ${instance.id}`, clock.now() + RETRY_MS, () => readers.get(instance.id)?.retry())
      },
    })
    readers.set(instance.id, reader)
    return reader
  }

  function wake(instance: EngineInstance): void {
    if (isOpen) readerOf(instance).wake()
  }

  /** Large journals are read between other work. */
  const readInTurn = (instance: EngineInstance, read: () => Promise<readonly InboundRow[]>) =>
    reads.within(instance, async () => {
      const rows = await read()
      await yieldToEventLoop()
      return rows
    })

  async function publishInTurn(instance: EngineInstance, row: InboundRow): Promise<void> {
    const slot = await slots.acquire(instance)
    const slow = clock.after(SLOW_MS, slot.release)
    try {
      if (!isOpen) throw new Error('The journal was closed.')
      await publish(instance, row)
    } finally {
      slow.cancel()
      slot.release()
    }
  }

  async function publish(instance: EngineInstance, row: InboundRow): Promise<void> {
    try {
      await inbound.publish(instance, row.digest, decryptedIn(seal, row))
      await db.commit((tx) => tx.run(markPublished, { seq: row.seq }))
      tries.delete(row.seq)
    } catch (error) {
      tries.set(row.seq, (tries.get(row.seq) ?? 0) + 1)
      throw error
    }
  }

  /**
   * @returns undefined for rows that must not block their chat: refused too often, or unreadable.
   * @throws ApiError sealed
   */
  function chatOf(row: InboundRow): string | undefined {
    if ((tries.get(row.seq) ?? 0) >= MAX_TRIES) return undefined
    try {
      const { stanza } = decryptedIn(seal, row)
      return `${stanza['from'] ?? ''} ${stanza['recipient'] ?? ''}`
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      // Data the disk corrupted will not decrypt on a retry either.
      tries.set(row.seq, MAX_TRIES)
      log.error({ event: 'smv2.message_unreadable', instanceId: row.instanceId, cause: cause(error) })
      return undefined
    }
  }

  return {
    wake,
    async findDecrypted({ id: instanceId }, digest) {
      const row = await db.readOne(inboundByDigest, { instanceId, digest })
      return row && decryptedIn(seal, row)
    },
    async open() {
      isOpen = true
      for (let after = ''; ;) {
        const next = await db.readOne(nextInstanceWithUnpublished, { after })
        if (next === undefined) return
        after = next.instanceId
        wake({ id: next.instanceId, accountId: next.accountId, engine: 'smv2', network: 'live' })
      }
    },
    async close() {
      isOpen = false
      await Promise.all([...readers.values()].map((reader) => reader.close()))
    },
  }
}
