import type { MessageErrorShape } from '../../contract/shapes.ts'
import type { Engine } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { InstanceSubject } from '../handler.ts'
import type { InstancesPort } from './deps.ts'
import type { Dispatched, Outcomes } from './outcome.ts'
import type { Receipts } from './receipts.ts'
import { advance, type AnnounceStatus } from './status.ts'
import { messageById, nextQueue, queuedPage, toMessage, type Message, type MessageRow } from './store.ts'

const TICK_MS = 1_000
const PASS_EVERY_TICKS = 60
const PAGE = 200
const PRUNED_AT_ONCE = 500

/** "The engine does not know this id" is proof only when no late send can be under way any more. */
const PROOF_AFTER_MS = 60_000
const EXPIRES_AFTER_MS = 24 * 3_600_000
/** No network keeps receipts for longer than this, so none can still arrive for a message whose connection is down. */
const LOST_AFTER_MS = 30 * 24 * 3_600_000
/** After a connection is back, the receipts it has missed arrive. They get this much time. */
const LIVE_FOR_MS = 600_000

const EXPIRED: MessageErrorShape = {
  code: 'expired',
  message: 'The network did not confirm the message within 24 hours. Check whether it arrived before sending it again.',
  provider_code: null,
}

interface ReconcilerDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly instances: InstancesPort
  readonly announce: AnnounceStatus
  readonly idempotency: Idempotency
  readonly outcomes: Outcomes
  readonly receipts: Receipts
  readonly underWay: ReadonlySet<string>
}

/**
 * Finds out what happened to messages that are still queued after a crash, a lost answer or a lost connection. Not jobs:
 * hardly any message gets here, and a job for each send would double its commits.
 */
export function createReconciler(deps: ReconcilerDeps) {
  const { db, clock, log, instances, idempotency, outcomes, receipts, underWay } = deps
  /** Since when each instance's link has been seen up, by the monotonic clock. */
  const liveSince = new Map<string, number>()

  const nextInstance = async (after: string) => (await db.readOne(nextQueue, { after }))?.instanceId ?? null

  /** Visits everything queued, instance by instance, a page at a time. */
  const eachQueued = async (visit: (rows: MessageRow[]) => Promise<void>): Promise<void> => {
    for (let instanceId = await nextInstance(''); instanceId !== null; instanceId = await nextInstance(instanceId)) {
      let after: number | undefined = 0
      do {
        const rows: MessageRow[] = await db.read(queuedPage, { instanceId, after, limit: PAGE })
        if (rows.length > 0) await visit(rows)
        after = rows.length < PAGE ? undefined : rows.at(-1)?.seq
      } while (after !== undefined)
    }
  }

  /**
   * At each opening, before the service listens. A send that another boot left running either never left, then its key
   * is free and a repeat sends; or it may have gone out, then its key is `unknown` until something proves either.
   */
  const recover = (): Promise<void> =>
    eachQueued((rows) =>
      db.commit(async (tx) => {
        for (const message of rows.map(toMessage)) {
          const { id, instanceId, idempotencyKey: key, engineMessageId, dispatchStartedAtMs } = message
          if (engineMessageId !== null || !isDispatched(message)) continue
          if (dispatchStartedAtMs === null) await outcomes.neverLeft(tx, message)
          else if (key !== null) await idempotency.recover(tx, db.boot, { scopeId: instanceId, key, subjectId: id })
        }
      }),
    )

  /** The removal of its row could not be stored. */
  const removeStray = ({ id, instanceId }: Message): Promise<void> =>
    db.commit(async (tx) => {
      const row = await tx.one(messageById, { id, instanceId })
      const message = row && toMessage(row)
      if (message?.status !== 'queued' || message.dispatchStartedAtMs !== null || !isDispatched(message)) return
      await outcomes.neverLeft(tx, message)
    })

  /** Asks the engine about a message whose outcome is unknown. */
  const reconcile = async (message: Message & Dispatched, subject: InstanceSubject): Promise<void> => {
    const found = await findMessage(instances.engineFor(subject), subject, message)
    if (found === 'arrived') {
      await receipts(message.instanceId, { kind: 'receipt', messageId: message.id, status: 'sent', atMs: clock.now() })
    } else if (found === 'never_arrived') {
      await outcomes.failNeverArrived(message)
    }
  }

  /** A failure of the engine proves nothing about the message, and must not stop the pass for others. */
  const findMessage = async (engine: Engine, subject: InstanceSubject, { id }: Message) => {
    try {
      return await engine.find(subject, id)
    } catch (error) {
      log.warn({ event: 'message.find_failed', messageId: id, cause: cause(error) })
      return 'cannot_tell'
    }
  }

  const expireQueued = ({ id, instanceId }: Message): Promise<void> =>
    db.commit(async (tx) => {
      const row = await tx.one(messageById, { id, instanceId })
      if (row?.status !== 'queued') return
      await advance(tx, deps.announce, toMessage(row), { to: 'failed', atMs: clock.now(), error: EXPIRED })
    })

  const check = async (message: Message, subject: InstanceSubject, isLive: boolean): Promise<void> => {
    const now = clock.now()
    const { dispatchStartedAtMs: asked, createdAtMs, engineMessageId } = message
    if (asked === null && engineMessageId === null) return removeStray(message)
    if (asked !== null && engineMessageId === null && now - asked >= PROOF_AFTER_MS && isDispatched(message)) {
      await reconcile(message, subject)
    }
    if (now - createdAtMs >= (isLive ? EXPIRES_AFTER_MS : LOST_AFTER_MS)) await expireQueued(message)
  }

  const trackLink = ({ id, connected }: InstanceSubject): boolean => {
    if (!connected) {
      liveSince.delete(id)
      return false
    }
    const since = liveSince.get(id) ?? clock.mono()
    liveSince.set(id, since)
    return clock.mono() - since >= LIVE_FOR_MS
  }

  const reconcileQueued = async (): Promise<void> => {
    const links = new Map<InstanceId, { subject: InstanceSubject; isLive: boolean } | null>()
    const linkOf = async ({ accountId, instanceId }: Message) => {
      const known = links.get(instanceId)
      if (known !== undefined) return known
      const subject = await instances.subject(accountId, instanceId)
      const link = subject === undefined || subject.deleted ? null : { subject, isLive: trackLink(subject) }
      links.set(instanceId, link)
      return link
    }
    await eachQueued(async (rows) => {
      for (const message of rows.map(toMessage)) {
        if (underWay.has(message.id)) continue
        const link = await linkOf(message)
        if (link !== null) await check(message, link.subject, link.isLive)
        // Its instance was deleted.
        else if (clock.now() - message.createdAtMs >= LOST_AFTER_MS) await expireQueued(message)
      }
    })
    for (const id of liveSince.keys()) if (!links.has(id as InstanceId)) liveSince.delete(id)
  }

  let running: Promise<void> | undefined
  let timer: { cancel(): void } | undefined

  /** One slow pass; a failure is logged, and the next pass tries again. */
  const pass = (): Promise<void> =>
    (running ??= (async () => {
      try {
        await reconcileQueued()
        while ((await db.commit((tx) => idempotency.prune(tx, clock.now(), PRUNED_AT_ONCE))) === PRUNED_AT_ONCE);
      } catch (error) {
        log.error({ event: 'message.reconcile_failed', cause: cause(error) })
      } finally {
        running = undefined
      }
    })())

  const start = (): void => {
    let ticks = 0
    timer ??= clock.every(TICK_MS, () => {
      void outcomes.retryUnwritten()
      if (ticks++ % PASS_EVERY_TICKS === 0) void pass()
    })
  }

  const stop = async (): Promise<void> => {
    timer?.cancel()
    timer = undefined
    await running
  }

  return { recover, pass, start, stop }
}

/** Messages typed on the phone were not sent by an engine. There is nobody to ask about them. */
const isDispatched = (message: Message): message is Message & Dispatched => message.engine !== null
