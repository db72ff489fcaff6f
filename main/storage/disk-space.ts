import type { Clock, Timer } from '../kernel/clock.ts'
import type { Db } from '../kernel/db.ts'
import { cause, type Log } from '../kernel/log.ts'
import { sql } from '../kernel/sql.ts'
import type { FreeBytes } from './free-bytes.ts'
import type { Reserve } from './reserve.ts'

/** `low`: a person is warned. `full`: no new data is accepted, and running work uses the reserve. */
type DiskSpaceState = 'ample' | 'low' | 'full'

/** Monitors the free space of the home folder's disk. */
export interface DiskSpaceMonitor {
  state(): DiskSpaceState
  /** At the last check; undefined before the first. */
  freeBytes(): number | undefined
  /** The problem for a person; null while there is enough space. */
  problem(): string | null
  /** SQLite found the disk full, even if the system reports free space. */
  reportFull(): void
  start(): void
  close(): Promise<void>
}

interface DiskSpaceLimits {
  readonly reserveBytes: number
  /** Below this, a warning is shown. */
  readonly warnBytes: number
  /** Below this, no new data is accepted. */
  readonly refuseBytes: number
}

interface DiskSpaceDeps {
  readonly home: string
  readonly db: Pick<Db, 'commit'> & {
    /** Writes the log back into the database file and empties it. */
    checkpoint(): Promise<void>
  }
  readonly clock: Pick<Clock, 'mono' | 'every'>
  readonly log: Log
  readonly limits: DiskSpaceLimits
  readonly reserve: Reserve
  readonly freeBytes: FreeBytes
  /** Removes old data now instead of within the hour. */
  readonly prune: () => void
  readonly onChange: () => void
}

const TICK_MS = 1_000
const CHECK_EVERY_TICKS = 5
/** Writing the reserve waits until the first clients have connected. */
const RESERVE_AFTER_MS = 10_000
/** Required above the limit before work resumes, because it would stop again right away. */
const MARGIN = 1.1
/** Removing old data frees space step by step; running more often would not help. */
const PRUNE_EVERY_MS = 60_000
/** A write of this size proves more than a few spare pages. */
const PROBE_BYTES = 256 * 1024

const probe = sql<{ value: string }>(
  `INSERT INTO meta (name, value) VALUES ('room_probe', :value)
   ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
)

export function createDiskSpaceMonitor(deps: DiskSpaceDeps): DiskSpaceMonitor {
  const { home, db, clock, log, limits, reserve, prune } = deps
  let state: DiskSpaceState = 'ample'
  let free: number | undefined
  let ticks = 0
  let startedMono = clock.mono()
  let tidiedMono = -Infinity
  let timer: Timer | undefined
  let checking: Promise<void> | undefined

  function setState(next: DiskSpaceState): void {
    if (next === state) return
    state = next
    if (next === 'ample') log.info({ event: 'storage.room', state, freeBytes: free })
    else log.warn({ event: 'storage.room', state, freeBytes: free })
    deps.onChange()
  }

  function enterFull(): void {
    reserve.release()
    setState('full')
    if (clock.mono() - tidiedMono < PRUNE_EVERY_MS) return
    tidiedMono = clock.mono()
    // The log occupies space that was already counted; old data is removed after it.
    db.checkpoint().catch((error: unknown) => log.warn({ event: 'storage.checkpoint', cause: cause(error) }))
    prune()
  }

  async function check(): Promise<void> {
    free = await deps.freeBytes(home)
    if (free < limits.refuseBytes) return enterFull()
    if (state === 'full' && !(await hasRecovered(free))) return enterFull()
    setState(free < limits.warnBytes ? 'low' : 'ample')
    const isEarly = clock.mono() - startedMono < RESERVE_AFTER_MS
    // Keeping the reserve must not cause a warning or stop work.
    const floor = state === 'low' ? limits.refuseBytes * MARGIN : limits.warnBytes
    if (!isEarly && free - limits.reserveBytes >= floor) await reserve.fill(limits.reserveBytes)
  }

  /** The reported free space may belong to another user or exceed a quota: only a write proves it. */
  async function hasRecovered(freeNow: number): Promise<boolean> {
    if (freeNow < limits.refuseBytes * MARGIN) return false
    try {
      await db.commit((tx) => tx.run(probe, { value: '0'.repeat(PROBE_BYTES) }))
      await db.commit((tx) => tx.run(probe, { value: '' }))
      return true
    } catch {
      // Storage has logged the reason.
      return false
    }
  }

  function checkNow(): void {
    checking ??= check()
      .catch((error: unknown) => log.warn({ event: 'storage.room_unknown', cause: cause(error) }))
      .finally(() => (checking = undefined))
  }

  return {
    state: () => state,
    freeBytes: () => free,
    problem: () => describeSpace(state, free, limits),
    reportFull: enterFull,
    start() {
      startedMono = clock.mono()
      timer ??= clock.every(TICK_MS, () => {
        if (ticks++ % CHECK_EVERY_TICKS === 0) checkNow()
      })
      checkNow()
    },
    async close() {
      timer?.cancel()
      await checking
    },
  }
}

function describeSpace(
  state: DiskSpaceState,
  free: number | undefined,
  { refuseBytes }: DiskSpaceLimits,
): string | null {
  const left = free === undefined ? '' : ` (${megabytes(free)} free)`
  switch (state) {
    case 'ample':
      return null
    case 'low':
      return `The disk is nearly full${left}. Below ${megabytes(refuseBytes)}, new work is refused. Free some space.`
    case 'full':
      return (
        `The disk is full${left}. New work is refused and webhooks wait without using up attempts. ` +
        'Free some space and Switchboard resumes automatically.'
      )
  }
}

const megabytes = (bytes: number) => `${Math.floor(bytes / 1_000_000)} MB`
