import type { Clock, Timer } from '../kernel/clock.ts'
import { cause, type Log } from '../kernel/log.ts'
import type { MaintenanceTask, CheckDatabase } from './maintenance-process.ts'
import { markDamaged } from './damage-marker.ts'
import type { Storage } from './sqlite.ts'

/** Result of the last check. */
export interface IntegrityStatus {
  /** null: no check since the start. */
  readonly checkedAtMs: number | null
  readonly damage: Damage | null
}

interface Damage {
  /** SQLite's messages, which contain no data of rows. */
  readonly found: readonly string[]
  /** Name of the backup that replaces the database at the next start; null: none is intact. */
  readonly backup: string | null
}

/** Checks the whole database once a day, in a minute without writes. */
export interface DailyIntegrityCheck {
  state(): IntegrityStatus
  /** The problem and what to do; null if there is none. */
  problem(): string | null
  start(): void
  /** Starts no new check, and ends a running one soon. */
  stop(): void
  /** Resolves when it has ended. */
  close(): Promise<void>
}

interface DailyIntegrityCheckDeps {
  readonly db: Pick<Storage, 'revision'>
  /** Path of the database. */
  readonly file: string
  readonly clock: Pick<Clock, 'now' | 'mono' | 'every'>
  readonly log: Log
  readonly checkDatabase: CheckDatabase
  /** Backups that may replace the database, newest first. */
  readonly copies: () => readonly { readonly name: string; readonly file: string }[]
  readonly onFound: () => void
}

const TICK_MS = 1_000
const MINUTE_TICKS = 60
const HOUR_MS = 3_600_000
const FIRST_AFTER_MS = 600_000
const EVERY_MS = 24 * HOUR_MS
/** How long it waits for a minute without writes. A busy service is checked anyway. */
const PATIENCE_MS = 6 * HOUR_MS

export function createDailyIntegrityCheck(deps: DailyIntegrityCheckDeps): DailyIntegrityCheck {
  const { db, file, clock, log, copies } = deps
  let state: IntegrityStatus = { checkedAtMs: null, damage: null }
  let dueMono = clock.mono() + FIRST_AFTER_MS
  let timer: Timer | undefined
  let ticks = 0
  let revision = -1
  let task: MaintenanceTask | undefined
  let underWay: Promise<void> | undefined
  let isStopped = false

  async function check(path: string): Promise<readonly string[] | null> {
    if (isStopped) return null
    task = deps.checkDatabase(path)
    return task.problems.finally(() => (task = undefined))
  }

  async function run(): Promise<void> {
    const begunMono = clock.mono()
    const found = await check(file)
    if (found === null) return
    dueMono = begunMono + EVERY_MS
    const checkedAtMs = clock.now()
    if (found.length > 0) return reportDamage(found, checkedAtMs)
    state = { checkedAtMs, damage: null }
    log.info({ event: 'storage.looked_through', ms: Math.round(clock.mono() - begunMono) })
  }

  async function reportDamage(found: readonly string[], checkedAtMs: number): Promise<void> {
    // Marked first, so that the next start knows even if this process is killed.
    markIfPossible(found)
    const backup = await findIntactBackup()
    if (isStopped) return
    state = { checkedAtMs, damage: { found, backup } }
    log.error({ event: 'storage.damaged', found, backup, next: describeDamage(state) })
    deps.onFound()
  }

  function markIfPossible(found: readonly string[]): void {
    try {
      markDamaged(file, found)
    } catch (error) {
      // The report is correct even if it cannot be stored.
      log.warn({ event: 'storage.damage_not_noted', cause: cause(error) })
    }
  }

  async function findIntactBackup(): Promise<string | null> {
    for (const copy of copies()) {
      const wrong = await check(copy.file).catch(() => ['it cannot be read'])
      if (wrong?.length === 0) return copy.name
    }
    return null
  }

  function isQuiet(): boolean {
    const before = revision
    try {
      revision = db.revision()
    } catch (error) {
      log.warn({ event: 'storage.look_failed', cause: cause(error) })
      return false
    }
    return revision === before
  }

  function tick(): void {
    if (++ticks % MINUTE_TICKS !== 0) return
    const wasQuiet = isQuiet()
    const overdueMs = clock.mono() - dueMono
    if (underWay !== undefined || state.damage !== null || overdueMs < 0) return
    if (!wasQuiet && overdueMs < PATIENCE_MS) return
    underWay = run()
      .catch((error: unknown) => {
        dueMono = clock.mono() + HOUR_MS
        log.warn({ event: 'storage.look_failed', cause: cause(error) })
      })
      .finally(() => (underWay = undefined))
  }

  function stop(): void {
    isStopped = true
    timer?.cancel()
    task?.kill()
  }

  return {
    state: () => state,
    problem: () => describeDamage(state),
    start: () => void (timer ??= clock.every(TICK_MS, tick)),
    stop,
    async close() {
      stop()
      await underWay
    },
  }
}

function describeDamage({ damage }: IntegrityStatus): string | null {
  if (damage === null) return null
  const { found, backup } = damage
  const what = `The database is damaged (${found[0]}). Hourly backups are off.`
  return backup === null
    ? `${what} No backup is intact, so Switchboard cannot start again. Before you quit, copy an intact backup into the backups folder.`
    : `${what} Restart Switchboard soon: it will restore the backup ${backup}, and changes after it will be lost.`
}
