import { ApiError } from '../../contract/errors.ts'
import type { HistoryMessage, HistoryPlace, HistorySource } from '../../engines/history.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { dueIn } from '../../kernel/due.ts'
import type { JobOutcome } from '../../kernel/job.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Messages } from '../messages/index.ts'
import { RECONNECTING_SECONDS } from '../not-connected.ts'
import { addChat, countImport, moveChat, nextChat, removeChat, type ImportRow } from './store.ts'

/** One step of an import: a page of chats is listed, or a page of messages fetched. */
export interface ImportInput {
  readonly instanceId: string
  /** The list of chats being read and its position; absent: the list is complete. */
  readonly listing?: 'phone' | 'messages'
  readonly after?: string
}

type Progress = {
  readonly total: number
  readonly done: number
  readonly messages: number
  readonly hasPhoneList: 0 | 1
}
const NOTHING: Progress = { total: 0, done: 0, messages: 0, hasPhoneList: 0 }

/** The result of a step, stored in one commit. */
export interface StepResult {
  record(tx: Tx): Promise<JobOutcome>
}

interface StepDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'movedMs'>
  readonly messages: Pick<Messages, 'importPast' | 'nameChat' | 'oldestIn'>
  /** Adds the next step of the import in the caller's commit. */
  readonly next: (tx: Tx, of: ImportRow, input: ImportInput, inMs: number) => Promise<void>
  /** Runs in the commit that ends the import. */
  readonly complete: (tx: Tx, of: ImportRow) => Promise<void>
}

const CHATS_AT_ONCE = 100
/** As many as WhatsApp's own client asks for. */
const MESSAGES_AT_ONCE = 50
/** Pause between two requests, because the phone is busy with other work. */
const PAUSE_MS = 1_500
const WAIT_FOR_LINK_MS = 30_000

export function createSteps({ db, clock, messages, next, complete }: StepDeps) {
  const count = (tx: Tx, { instanceId, importId }: ImportRow, progress: Partial<Progress>) =>
    tx.run(countImport, { instanceId, importId, ...NOTHING, ...progress })

  const add = async (tx: Tx, { instanceId }: ImportRow, { atMs: at, isOwn, ...place }: HistoryPlace) =>
    tx.run(addChat, { instanceId, ...place, own: isOwn ? 1 : 0, at })

  /** The chats that the phone sent when it was linked. Their newest message arrives with them. */
  async function listOfPhone(
    of: ImportRow,
    instance: InstanceSubject,
    source: HistorySource,
    after: string,
  ): Promise<StepResult> {
    const chats = await source.chats(instance, after, CHATS_AT_ONCE)
    const last = chats.length === CHATS_AT_ONCE ? chats.at(-1) : undefined
    return {
      async record(tx) {
        const found: HistoryMessage[] = []
        let total = 0
        for (const { chat, name, place, message } of chats) {
          if (name !== null) await messages.nameChat(tx, of.instanceId, chat, name)
          if (place === null || place.atMs < of.sinceMs) continue
          total += await add(tx, of, place)
          if (message) found.push(message)
        }
        const imported = await messages.importPast(tx, of, found)
        await count(tx, of, { total, messages: imported, hasPhoneList: chats.length > 0 ? 1 : 0 })
        const input = last
          ? ({ listing: 'phone', after: last.key } as const)
          : ({ listing: 'messages', after: '' } as const)
        await next(tx, of, { instanceId: of.instanceId, ...input }, 0)
        return { kind: 'done' }
      },
    }
  }

  async function listOfMessages(of: ImportRow, after: string): Promise<StepResult> {
    const chats = await messages.oldestIn(of.instanceId, after, CHATS_AT_ONCE)
    const last = chats.length === CHATS_AT_ONCE ? chats.at(-1) : undefined
    return {
      async record(tx) {
        let total = 0
        for (const { chat, engineMessageId, own, createdAtMs: atMs } of chats) {
          if (engineMessageId === null || atMs < of.sinceMs) continue
          total += await add(tx, of, { chat, address: null, engineMessageId, isOwn: own === 1, atMs })
        }
        await count(tx, of, { total })
        const input = last ? ({ listing: 'messages', after: last.chat } as const) : {}
        await next(tx, of, { instanceId: of.instanceId, ...input }, 0)
        return { kind: 'done' }
      },
    }
  }

  async function fetch(
    of: ImportRow,
    instance: InstanceSubject,
    source: HistorySource,
    signal: AbortSignal,
  ): Promise<StepResult> {
    const { instanceId } = of
    const row = await db.readOne(nextChat, { instanceId })
    if (row === undefined) {
      return {
        async record(tx) {
          await complete(tx, of)
          return { kind: 'done' }
        },
      }
    }
    const { chat, own, ...rest } = row
    const page = await source
      .before(instance, { ...rest, chat, isOwn: own === 1 }, MESSAGES_AT_ONCE, signal)
      .catch((error: unknown) => {
        // The number no longer exists.
        if (error instanceof ApiError && error.code === 'not_found')
          return { messages: [], oldest: null, isComplete: true }
        throw error
      })
    const { oldest } = page
    return {
      async record(tx) {
        const wanted = page.messages.filter(({ atMs }) => atMs >= of.sinceMs)
        const imported = await messages.importPast(tx, of, wanted)
        const hasMoved = oldest !== null && oldest.engineMessageId !== row.engineMessageId
        const isDone = page.isComplete || !hasMoved || oldest.atMs < of.sinceMs
        if (isDone) await tx.run(removeChat, { instanceId, chat })
        else {
          const { address, engineMessageId, isOwn, atMs: at } = oldest
          await tx.run(moveChat, { instanceId, chat, address, engineMessageId, own: isOwn ? 1 : 0, at })
        }
        await count(tx, of, { done: isDone ? 1 : 0, messages: imported })
        await next(tx, of, { instanceId }, PAUSE_MS)
        return { kind: 'done' }
      },
    }
  }

  const wait = ({ reconnecting }: InstanceSubject): StepResult => {
    const ms = reconnecting === true ? RECONNECTING_SECONDS * 1_000 : WAIT_FOR_LINK_MS
    return { record: async () => ({ kind: 'again', at: dueIn(clock, ms) }) }
  }

  return async (
    of: ImportRow,
    instance: InstanceSubject,
    source: HistorySource,
    input: ImportInput,
    signal: AbortSignal,
  ) => {
    if (input.listing === 'phone') return listOfPhone(of, instance, source, input.after ?? '')
    if (input.listing === 'messages') return listOfMessages(of, input.after ?? '')
    return instance.connected ? fetch(of, instance, source, signal) : wait(instance)
  }
}
