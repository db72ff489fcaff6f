import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { cause, type Log } from '../../kernel/log.ts'
import {
  BridgeError,
  type CrmBridge,
  type CrmCall,
  type CrmContact,
  type CrmOptOut,
  type PushedMessage,
} from './bridge.ts'
import { WHOLE_ACCOUNT } from '../opt-outs/index.ts'
import type { CrmDeps } from './deps.ts'
import type { OptOutChanges } from './opt-out-changes.ts'
import { noteError, queueOf } from './link-store.ts'
import type { CrmLink, Links } from './links.ts'
import {
  contactOf,
  countTry,
  dirtyStatuses,
  dndPushed,
  dndToPush,
  dropStatus,
  failItem,
  firstItems,
  forgetContact,
  holdContact,
  holdStatus,
  itemsOfContact,
  markAttempted,
  nextHold,
  nextStatusHold,
  PAUSED,
  removeItem,
  setContact,
  setConversation,
  setExternalId,
  statusPushed,
  unmarkAttempted,
  type ContactRow,
  type OutboxRow,
  type StatusRow,
} from './outbox-store.ts'
import type { createPeople } from './people.ts'
import { connectedAtMsOf, type Turn } from './queues.ts'
import type { createSaid } from './said.ts'
import type { Statuses } from './statuses.ts'

interface PushDeps extends Pick<CrmDeps, 'optOuts'> {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly links: Links
  readonly statuses: Statuses
  readonly optOutChanges: OptOutChanges
  readonly bridgeOf: (link: CrmLink) => CrmBridge
  readonly personOf: ReturnType<typeof createPeople>
  readonly read: ReturnType<typeof createSaid>
}

/** Number of statuses in one turn; a turn makes about forty calls. */
const STATUSES = 24
/** Number of concurrent status calls. */
const AT_ONCE = 8
const DNDS = 10
const CONTACTS = 8
const ITEMS_OF_CONTACT = 4
const LOOKED_AT = 64
/** Number of attempts of a waiting item before it is given up. */
const MOST_TRIES = 6
const LATER_MS = 15_000
/** Retry delays of a status that the CRM accepts only later; then it is dropped. */
const STATUS_WAITS_MS = [5_000, 10_000, 20_000, 60_000] as const

type Write = (tx: Tx) => Promise<unknown>

/** Progress of a turn. */
interface Progress {
  readonly writes: Write[]
  count: number
  /** Set by the first fault that concerns the whole queue; no further calls are started. */
  stop: BridgeError | null
}

/** A function, because the value may change during an await. */
const isStopped = (progress: Progress): boolean => progress.stop !== null

/** Sends waiting items to the CRM: in order for each contact, new ones before backfilled ones. */
export function createPush(deps: PushDeps) {
  const { db, clock, log, links, statuses, optOuts, optOutChanges, bridgeOf, personOf, read } = deps

  async function turn(queue: string): Promise<Turn> {
    if ((await db.readOne(queueOf, { id: queue }))?.suspended !== 0) return { kind: 'idle' }
    const connectedAtMs = connectedAtMsOf(await links.ofQueue(queue))
    const progress: Progress = { writes: [], count: 0, stop: null }
    await pushStatuses(queue, progress)
    await pushOptOuts(queue, progress)
    await pushItems(queue, progress)
    const { writes, stop } = progress
    const record = async (tx: Tx) => {
      for (const write of writes) await write(tx)
    }
    if (stop === null && progress.count > 0) return { kind: 'more', record }
    if (stop === null) return writes.length > 0 ? { kind: 'settled', record } : { kind: 'idle' }
    const { fault, message } = stop
    if (fault.kind === 'reconnect') return { kind: 'reconnect', connectedAtMs, code: fault.code, message, record }
    const waitMs = fault.kind === 'wait' ? fault.waitMs : null
    return { kind: 'wait', waitMs, code: fault.code, message, record }
  }

  /** @returns the fault if it concerns only this call. */
  async function attempt<T>(
    progress: Progress,
    act: () => Promise<T>,
  ): Promise<{ readonly value: T } | { readonly fault: BridgeError }> {
    try {
      const value = await act()
      progress.count++
      return { value }
    } catch (error) {
      const fault = error instanceof BridgeError ? error : unexpected(error)
      if (STOPS.has(fault.fault.kind)) progress.stop ??= fault
      return { fault }
    }
  }

  function unexpected(error: unknown): BridgeError {
    log.error({ event: 'crm.item_failed', cause: cause(error) })
    const fault = { kind: 'later', waitMs: LATER_MS, code: 'failed' } as const
    return new BridgeError(fault, 'An unexpected error stopped this message. The log of the service has the cause.')
  }

  async function pushStatuses(queue: string, progress: Progress): Promise<void> {
    const rows = await db.read(dirtyStatuses, { queue, now: clock.now(), limit: STATUSES })
    for (let from = 0; from < rows.length && !isStopped(progress); from += AT_ONCE)
      await Promise.all(rows.slice(from, from + AT_ONCE).map((row) => pushStatus(row, progress)))
  }

  async function pushStatus(row: StatusRow, progress: Progress): Promise<void> {
    const { linkSeq, externalId, status, error } = row
    const link = await links.bySeq(linkSeq)
    if (link === undefined) return
    const done = await attempt(progress, () => bridgeOf(link).status(link, externalId, status, error))
    if ('value' in done) progress.writes.push((tx) => tx.run(statusPushed, { linkSeq, externalId, status }))
    else if (!STOPS.has(done.fault.fault.kind)) progress.writes.push((tx) => settleStatus(tx, row, done.fault))
  }

  /** Handles a status that was refused for its own reason. */
  async function settleStatus(
    tx: Tx,
    { linkSeq, externalId, tries }: StatusRow,
    { fault, message }: BridgeError,
  ): Promise<void> {
    const waitMs = fault.kind === 'later' ? STATUS_WAITS_MS[tries] : undefined
    if (waitMs !== undefined) {
      await tx.run(holdStatus, { linkSeq, externalId, holdUntilMs: clock.now() + waitMs })
      return
    }
    await tx.run(dropStatus, { linkSeq, externalId })
    if (fault.kind === 'later') await tx.run(noteError, { seq: linkSeq, code: fault.code, message, now: clock.now() })
  }

  /** The older of two opt-outs, one of the account and one of the instance. */
  async function decisionOf({ accountId, instanceId }: CrmLink, number: string): Promise<CrmOptOut['decided']> {
    const found = await optOuts.ofNumber(accountId, number)
    const here = found.filter(({ scope }) => scope === WHOLE_ACCOUNT || scope === instanceId)
    return here.toSorted((one, other) => one.seq - other.seq)[0] ?? null
  }

  async function pushOptOuts(queue: string, progress: Progress): Promise<void> {
    const [link] = await links.ofQueue(queue)
    if (link === undefined || isStopped(progress)) return
    for (const { number, dnd, contactId, conversationId } of await db.read(dndToPush, { queue, limit: DNDS })) {
      if (isStopped(progress) || contactId === null) return
      const changeId = await optOutChanges.begin(queue, number, dnd)
      const contact = { contactId, conversationId }
      const decided = dnd === 1 ? await decisionOf(link, number) : null
      const change = { isOptedOut: dnd === 1, changeId, decided }
      const done = await attempt(progress, () => bridgeOf(link).optOut(link, contact, change))
      // The opt-out cannot be sent without the permission, so everything waits.
      if ('fault' in done && done.fault.fault.code === 'missing_permission') progress.stop ??= asWait(done.fault)
      // A refused state is not retried; a later change of it is sent.
      if ('value' in done || !isStopped(progress))
        progress.writes.push(async (tx) => {
          await tx.run(dndPushed, { queue, number, dnd })
          await optOutChanges.end(tx, queue, number)
        })
    }
  }

  async function pushItems(queue: string, progress: Progress): Promise<void> {
    if (isStopped(progress)) return
    const now = clock.now()
    const numbers = new Set<string>()
    for (const priority of [0, 1]) {
      if (numbers.size >= CONTACTS) break
      for (const { number } of await db.read(firstItems, { queue, priority, now, limit: LOOKED_AT })) {
        if (numbers.size < CONTACTS) numbers.add(number)
      }
    }
    const found = await Promise.all(
      [...numbers].map((number) => db.read(itemsOfContact, { queue, number, limit: ITEMS_OF_CONTACT })),
    )
    // If a contact's first item waits, all its later items wait too.
    const runs = found.filter(([first]) => first !== undefined && first.holdUntilMs <= now)
    const seqs = runs.flat().flatMap(({ seq, attempted }) => (attempted === 0 ? [seq] : []))
    if (runs.length === 0) return
    // Stored before any call is made: after a crash, an item is looked for before it is added again.
    await db.commit((tx) => markAttempted.over(seqs, {}, (...run) => tx.run(...run)))
    const unreached = (await Promise.all(runs.map((items) => pushContact(items, progress)))).flat()
    const unmarked = unreached.flatMap(({ seq, attempted }) => (attempted === 0 ? [seq] : []))
    progress.writes.push((tx) => unmarkAttempted.over(unmarked, {}, (...run) => tx.run(...run)))
  }

  /** @returns the items for which no call was made. */
  async function pushContact(items: readonly OutboxRow[], progress: Progress): Promise<readonly OutboxRow[]> {
    let known: CrmContact | undefined
    for (const [at, item] of items.entries()) {
      if (isStopped(progress)) return items.slice(at)
      const link = await links.bySeq(item.linkSeq)
      if (link === undefined) continue
      const step = await attempt(progress, async () => {
        known ??= await contactFor(link, item, progress)
        return pushItem(link, known, item)
      })
      if ('fault' in step) {
        settle(link, item, step.fault, progress)
        return items.slice(at + 1)
      }
      const { value } = step
      progress.writes.push((tx) => recordItem(tx, link, item, value))
      if (value !== null && value.conversationId !== null)
        known = { contactId: known?.contactId ?? '', conversationId: value.conversationId }
    }
    return []
  }

  /** The contact in the CRM: created, or updated if the person's data has changed. */
  async function contactFor(link: CrmLink, item: OutboxRow, progress: Progress): Promise<CrmContact> {
    const { queue, number } = item
    const row: ContactRow | undefined = await db.readOne(contactOf, { queue, number })
    const person = await personOf(link, row?.chat ?? number)
    const fields = JSON.stringify([link.fieldMap, person.values])
    const before =
      row === undefined || row.contactId === null
        ? null
        : { contactId: row.contactId, conversationId: row.conversationId }
    if (before !== null && row?.fields === fields) return before
    const contact = await bridgeOf(link).contact(link, person, before)
    progress.writes.push(async (tx) => {
      await tx.run(setContact, { queue, number, ...contact, fields })
      if (before !== null || !person.isOptedOut) return
      await tx.run(dndPushed, { queue, number, dnd: 1 })
    })
    return contact
  }

  async function pushItem(link: CrmLink, contact: CrmContact, item: OutboxRow): Promise<PushedMessage | null> {
    const mayExist = item.attempted === 1
    const bridge = bridgeOf(link)
    // Only this room adds calls.
    if (item.kind === 'call') return bridge.call(link, contact, JSON.parse(item.payload ?? '{}') as CrmCall, mayExist)
    const message = await read(link, item.itemKey, item.tries < MOST_TRIES)
    if (message === undefined || (message.text === '' && message.file === null)) return null
    return bridge.message(link, contact, message, mayExist)
  }

  async function recordItem(tx: Tx, link: CrmLink, item: OutboxRow, pushed: PushedMessage | null): Promise<void> {
    const { seq, queue, number, itemKey: messageId } = item
    await tx.run(removeItem, { seq })
    if (pushed === null) return
    const { externalId, conversationId } = pushed
    if (conversationId !== null) await tx.run(setConversation, { queue, number, conversationId })
    if (item.kind === 'call') return
    await tx.run(setExternalId, { linkSeq: link.seq, messageId, externalId })
    // Its status may have changed while it waited.
    await statuses.ofParts(tx, link, externalId)
  }

  /** Handles an item that failed for its own reason. */
  function settle(link: CrmLink, item: OutboxRow, { fault, message }: BridgeError, { writes }: Progress): void {
    const { seq, queue, number, tries } = item
    const now = clock.now()
    const giveUp = async (tx: Tx) => {
      await tx.run(failItem, { seq, error: message, now })
      await tx.run(noteError, { seq: link.seq, code: fault.code, message, now })
    }
    const wait = (waitMs: number) => async (tx: Tx) => {
      await tx.run(countTry, { seq })
      await tx.run(holdContact, { queue, number, holdUntilMs: clock.now() + waitMs })
    }
    switch (fault.kind) {
      case 'wait':
      case 'reconnect':
        // No call was made for it.
        if (item.attempted === 0) writes.push((tx) => unmarkAttempted.over([seq], {}, (...run) => tx.run(...run)))
        break
      case 'unknown':
        break
      case 'refused':
        writes.push(giveUp)
        break
      case 'contact_gone':
        writes.push((tx) => tx.run(forgetContact, { queue, number }))
        writes.push(tries >= MOST_TRIES ? giveUp : wait(0))
        break
      case 'later':
        writes.push(tries > MOST_TRIES ? giveUp : wait(fault.waitMs))
    }
  }

  return {
    turn,
    /** When the queue is due; null: nothing is waiting, or everything is paused. */
    async dueAtMs(tx: Tx, queue: string): Promise<number | null> {
      const holds = [
        (await tx.one(nextHold, { queue }))?.holdUntilMs ?? PAUSED,
        (await tx.one(nextStatusHold, { queue }))?.holdUntilMs ?? PAUSED,
        (await tx.one(dndToPush, { queue, limit: 1 })) === undefined ? PAUSED : 0,
      ]
      const first = Math.min(...holds)
      return first >= PAUSED ? null : first
    },
  }
}

const asWait = ({ fault, message }: BridgeError) =>
  new BridgeError({ kind: 'wait', waitMs: 'waitMs' in fault ? fault.waitMs : null, code: fault.code }, message)

const STOPS: ReadonlySet<string> = new Set(['wait', 'unknown', 'reconnect'])
