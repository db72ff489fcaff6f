import type { Timer } from '../kernel/clock.ts'
import { cause, type Log } from '../kernel/log.ts'
import type { Tx } from '../kernel/db.ts'
import { addToMeta, CLOCK_AHEAD, CLOCK_MOVED, readMeta, replaceMeta } from '../kernel/meta.ts'
import type { Nodes } from '../kernel/nodes.ts'
import { CLOCK_SLACK_MS, type ClockChange, type SteadyClock } from '../kernel/steady-clock.ts'
import type { Storage } from '../storage/sqlite.ts'
import { moveDueTimes } from '../storage/due-times.ts'

interface ClockChangesDeps {
  readonly clock: SteadyClock
  readonly db: Pick<Storage, 'commit' | 'readOne' | 'revision' | 'noteClockSet'>
  readonly nodes: Pick<Nodes, 'seen' | 'lastSeenMs'>
  readonly log: Log
}

interface Ahead {
  readonly ms: number
  readonly sinceMono: number
}
interface StoredAhead {
  readonly ms: number
  readonly at_ms: number
}

const CHECK_MS = 1_000
/** Precision with which a clock that was set back while the service was down is detected. */
const SEEN_EVERY_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A service may be off for weeks, but a clock without a battery is years off. */
const LONGEST_ABSENCE_MS = 30 * DAY_MS

/** Moves stored due times whenever the clock is set, also between two runs of the service. */
export function followClockChanges({ clock, db, nodes, log }: ClockChangesDeps) {
  let timer: Timer | undefined
  let seenMono = clock.mono()
  let isNoting = false
  let seenRevision = -1
  /** How far the clock was set forward, and when. */
  let ahead: Ahead = { ms: 0, sinceMono: clock.mono() }

  const aheadAfter = (byMs: number): Ahead => ({
    ms: Math.max(0, ahead.ms + byMs),
    sinceMono: byMs > 0 ? clock.mono() : ahead.sinceMono,
  })

  async function storeAhead(tx: Tx, { ms, sinceMono }: Ahead): Promise<void> {
    const stored: StoredAhead = { ms, at_ms: clock.now() - (clock.mono() - sinceMono) }
    await replaceMeta(tx, CLOCK_AHEAD, JSON.stringify(stored))
  }

  async function loadAhead(): Promise<void> {
    const text = await readMeta(db, CLOCK_AHEAD)
    if (text === undefined) return
    // storeAhead wrote it.
    const { ms, at_ms: atMs } = JSON.parse(text) as StoredAhead
    ahead = { ms, sinceMono: clock.mono() - Math.max(0, clock.now() - atMs) }
  }

  async function move(change: ClockChange, release: () => void): Promise<void> {
    try {
      const after = aheadAfter(change.byMs)
      await db.commit(async (tx) => {
        db.noteClockSet(change, await addToMeta(tx, CLOCK_MOVED, change.byMs))
        await moveDueTimes(tx, { ...change, aheadMs: ahead.ms })
        release()
        await storeAhead(tx, after)
        await nodes.seen(tx)
      })
      ahead = after
      log.warn({ event: 'service.clock_set', byMs: change.byMs })
    } catch (error) {
      log.warn({ event: 'service.due_times_not_moved', byMs: change.byMs, cause: cause(error) })
      throw error
    }
  }

  async function noteSeen(): Promise<void> {
    if (isNoting || clock.mono() - seenMono < SEEN_EVERY_MS) return
    isNoting = true
    seenMono = clock.mono()
    try {
      // An idle service must write nothing; otherwise it would be backed up every hour.
      if (db.revision() === seenRevision) return
      await db.commit((tx) => nodes.seen(tx))
      seenRevision = db.revision()
    } catch {
      // If this fails, the next start only detects less.
    } finally {
      isNoting = false
    }
  }

  return {
    /** Runs before this node is registered and anything is recovered. */
    async begin(): Promise<void> {
      await loadAhead()
      const lastSeenMs = await nodes.lastSeenMs()
      const byMs = clock.now() - (lastSeenMs ?? -Infinity)
      if (lastSeenMs !== null && byMs < -CLOCK_SLACK_MS) await move({ byMs, fromMs: lastSeenMs }, () => {})
      if (lastSeenMs !== null && byMs > LONGEST_ABSENCE_MS) {
        ahead = aheadAfter(byMs)
        await db.commit((tx) => storeAhead(tx, ahead))
      }
      clock.follow(move)
    },
    /**
     * Whether old data may be removed. Not for a day after the clock was set forward: if that was a mistake,
     * everything would look old.
     */
    mayRemoveOld: () => ahead.ms < HOUR_MS || clock.mono() - ahead.sinceMono > DAY_MS,
    start(): void {
      timer ??= clock.every(CHECK_MS, () => {
        clock.check()
        void noteSeen()
      })
    },
    async close(): Promise<void> {
      timer?.cancel()
      await db.commit((tx) => nodes.seen(tx)).catch(() => {})
    },
  }
}
