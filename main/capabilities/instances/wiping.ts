import type { Clock, Timer } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { toEngineInstance, type Engines } from './engines.ts'
import type { Lifecycle } from './lifecycle.ts'
import { eachPage } from './pages.ts'
import type { DiscardSession } from './session.ts'
import { byId, isRecreating, pageToDiscard, toInstance } from './store.ts'
import type { RunExclusive } from './keyed-mutex.ts'

interface Deps {
  readonly db: Db
  readonly clock: Clock
  readonly engines: Engines
  readonly log: Log
  readonly lifecycle: Lifecycle
  readonly discardSession: DiscardSession
  readonly runExclusive: RunExclusive
  /** Told of instances whose engine did not answer when pairing began. */
  readonly unstarted: Set<InstanceId>
}

export interface Wiping {
  /** Once the instance is `recreating`, and that is durable. */
  readonly begin: (id: InstanceId) => void
  /** Wipes that an earlier process left unfinished. */
  readonly resume: () => Promise<void>
  readonly close: () => void
}

/** An engine that could not wipe is asked again after a second, and then half as often each time. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
const TICK_MS = 1_000

interface Backoff {
  readonly ms: number
  readonly untilMono: number
}

/**
 * The second half of a recreate, for which nobody waits: the engine discards everything of the instance, one commit
 * makes it `connecting`, and pairing begins. The row says `recreating` until that commit, so whatever cuts this off,
 * it is taken up again and ends there. Not a job: it would say the same as the row, which must change with the session.
 */
export function createWiping(deps: Deps): Wiping {
  const { db, clock, engines, log, lifecycle, discardSession, runExclusive, unstarted } = deps
  const backoffs = new Map<InstanceId, Backoff>()
  let ticking: Timer | undefined
  let isClosed = false

  function begin(id: InstanceId): void {
    void runExclusive(id, () => wipe(id)).then(
      (isOver) => (isOver ? backoffs.delete(id) : backOff(id)),
      (error: unknown) => {
        log.warn({ event: 'instance.recreate.interrupted', instanceId: id, cause: cause(error) })
        backOff(id)
      },
    )
  }

  function backOff(id: InstanceId): void {
    if (isClosed) return
    const before = backoffs.get(id)
    const ms = before === undefined ? FIRST_PAUSE_MS : Math.min(2 * before.ms, LONGEST_PAUSE_MS)
    backoffs.set(id, { ms, untilMono: clock.mono() + ms })
    ticking ??= clock.every(TICK_MS, retryDue)
  }

  function retryDue(): void {
    if (backoffs.size === 0) stop()
    for (const [id, { ms, untilMono }] of backoffs) {
      if (untilMono > clock.mono()) continue
      // Not again before this try has ended, however long it takes.
      backoffs.set(id, { ms, untilMono: Infinity })
      begin(id)
    }
  }

  function stop(): void {
    ticking?.cancel()
    ticking = undefined
  }

  /** @returns whether nothing is left to do. */
  async function wipe(id: InstanceId): Promise<boolean> {
    const row = isClosed ? undefined : await db.readOne(byId, { id })
    if (!row || !isRecreating(row)) return true
    const instance = toInstance(row)
    const isWiped = await discardSession(instance, (tx) => lifecycle.apply(tx, id, { kind: 'wiped' }))
    if (!isWiped) return false
    const subject = toEngineInstance(instance)
    try {
      if (!isClosed) await engines[subject.network][subject.engine]?.start(subject)
    } catch (error) {
      // It is connecting, as after any start that failed: the next read of its QR code asks the engine again.
      unstarted.add(id)
      log.warn({ event: 'instance.engine.failed', instanceId: id, cause: cause(error) })
    }
    return true
  }

  return {
    begin,
    async resume() {
      for await (const page of eachPage(db, pageToDiscard)) {
        for (const instance of page) if (isRecreating(instance)) begin(instance.id)
      }
    },
    close() {
      isClosed = true
      stop()
    },
  }
}
