import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { SealBroken, type Seal } from '../../kernel/seal.ts'
import type { Alarms } from '../alarms.ts'
import type { EngineInstance } from '../engine.ts'
import type { Inbound } from './inbound.ts'
import type { DecryptedMessage } from './repository.ts'
import {
  inboundByDigest,
  markPublished,
  nextInstanceWithUnpublished,
  unpublishedPage,
  type InboundRow,
} from './store.ts'
import { INBOUND_JOURNAL } from './session.ts'

export interface Journal {
  /** Something new lies there. */
  wake(instance: EngineInstance): void
  /** What was decrypted from the same bytes, when they have come before. */
  heardBefore(instance: EngineInstance, digest: string): Promise<DecryptedMessage | undefined>
  /** From here on it is told; also what another boot left. */
  open(): Promise<void>
  /** Resolves when nothing is being told; what is left stays in storage. */
  close(): Promise<void>
}

interface JournalDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly alarms: Alarms
  readonly seal: Seal
  readonly hearing: Pick<Inbound, 'hear'>
}

const AT_ONCE = 64
const REST_MS = 1_000
/** What the rooms refuse this often keeps nobody else waiting; it is tried again after the next start. */
const TRIES = 5

/**
 * Tells what was heard, at least once: a row counts as told only after the rooms have it durably, and they take
 * everything twice without effect. What is said in one chat is told in order; chats side by side.
 */
export function createJournal({ db, clock, log, alarms, seal, hearing }: JournalDeps): Journal {
  const running = new Map<InstanceId, Promise<void>>()
  const asked = new Set<InstanceId>()
  const tries = new Map<number, number>()
  let isOpen = false

  function wake(instance: EngineInstance): void {
    const { id } = instance
    asked.add(id)
    if (!isOpen || running.has(id)) return
    const turns = tellAll(instance).finally(() => {
      running.delete(id)
      if (isOpen && asked.has(id)) wake(instance)
    })
    running.set(id, turns)
  }

  async function tellAll(instance: EngineInstance): Promise<void> {
    asked.delete(instance.id)
    try {
      if (await tellRows(instance)) return
    } catch (error) {
      log.warn({ event: 'smv2.journal_unread', instanceId: instance.id, cause: cause(error) })
    }
    alarms.set(`journal ${instance.id}`, clock.now() + REST_MS, () => wake(instance))
  }

  /** @returns whether everything is told that can be. */
  async function tellRows(instance: EngineInstance): Promise<boolean> {
    let isDone = true
    let after = 0
    while (isOpen) {
      const rows = await db.read(unpublishedPage, { instanceId: instance.id, after, limit: AT_ONCE })
      const readable = rows.filter(({ seq }) => (tries.get(seq) ?? 0) < TRIES).flatMap(read)
      const lanes = Map.groupBy(readable, ({ heard }) => laneOf(heard))
      const done = await Promise.all([...lanes.values()].map((lane) => tellLane(instance, lane)))
      if (done.includes(false)) isDone = false
      const last = rows.at(-1)
      if (last === undefined || rows.length < AT_ONCE) break
      after = last.seq
    }
    return isDone
  }

  /** What follows in a chat must not overtake what could not be told. */
  async function tellLane(
    instance: EngineInstance,
    lane: readonly { row: InboundRow; heard: DecryptedMessage }[],
  ): Promise<boolean> {
    for (const { row, heard } of lane) {
      try {
        await hearing.hear(instance, row.digest, heard)
        await db.commit((tx) => tx.run(markPublished, { seq: row.seq }))
        tries.delete(row.seq)
      } catch (error) {
        tries.set(row.seq, (tries.get(row.seq) ?? 0) + 1)
        log.warn({ event: 'smv2.message_not_taken', instanceId: instance.id, cause: cause(error) })
        return false
      }
    }
    return true
  }

  /** What the disk has changed opens no better the next time, and keeps nobody waiting. @throws ApiError sealed */
  function read(row: InboundRow): { row: InboundRow; heard: DecryptedMessage }[] {
    try {
      return [{ row, heard: opened(row) }]
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      tries.set(row.seq, TRIES)
      log.error({ event: 'smv2.message_unreadable', instanceId: row.instanceId, cause: cause(error) })
      return []
    }
  }

  const opened = ({ instanceId, digest, sealed }: InboundRow): DecryptedMessage =>
    // Written by the guard of the same session, in this form.
    JSON.parse(seal.openBytes(sealed, `smv2:${instanceId}:${INBOUND_JOURNAL}:${digest}`).toString()) as DecryptedMessage

  return {
    wake,
    async heardBefore({ id: instanceId }, digest) {
      const row = await db.readOne(inboundByDigest, { instanceId, digest })
      return row && opened(row)
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
      await Promise.allSettled(running.values())
    },
  }
}

/** One conversation. Whatever is said of a message is said in the chat it is in. */
const laneOf = ({ stanza }: DecryptedMessage): string => `${stanza['from'] ?? ''} ${stanza['recipient'] ?? ''}`
