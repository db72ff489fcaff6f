import type { Database } from 'better-sqlite3'
import { StorageError, type Tx } from '../kernel/db.ts'
import { cause, type Log } from '../kernel/log.ts'
import { createCommitCount } from './commit-count.ts'
import type { FactLog } from './fact-log.ts'
import { asStorageError, isDiskFault } from './sqlite-errors.ts'
import { createSequences } from './sequences.ts'
import type { Prepare } from './statements.ts'
import { openUnit, type RunningUnit } from './unit-of-work.ts'

/** Groups units of work into transactions. Rules: kernel/db.ts. */
export interface GroupCommit {
  readonly commit: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  /** Refuses a call that is allowed only outside a unit, and fails the unit that made it. */
  refuseInsideUnit(act: string): Error | undefined
  /** Refuses everything from now on: after a commit with an unknown result, the state is uncertain. */
  fail(): void
  hasFailed(): boolean
  /** Accepts no more work, and resolves when all waiting work is settled. */
  stop(): Promise<void>
}

interface GroupCommitDeps {
  readonly connection: Database
  readonly prepare: Prepare
  readonly log: Log
  readonly onFault: (fault: StorageError) => void
  readonly beforeGroup: () => void
  /** Called when the disk is full. @returns whether space was freed, so that the group is retried. */
  readonly freeSpace: () => boolean
  /** Receives the facts of the group that no restore may undo. */
  readonly facts: Pick<FactLog, 'write' | 'confirm' | 'mark' | 'undo'> | null
}

interface Unit {
  readonly work: (tx: Tx) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  outcome: Outcome
  running: RunningUnit | undefined
}

type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown }

const UNITS_PER_GROUP = 64
/** A group of this size suggests that more units are coming, so the next group may wait for them. */
const BUSY_GROUP = 4
const NOTHING = {}
const readOnly = () => new StorageError('read_only', 'The storage failed and takes no writes until it is reopened')
const NOT_RUN: Outcome = { ok: false, error: new Error('The unit has not run yet') }
const FOREIGN_AWAIT =
  'A unit of work awaited something other than tx. Only storage may be awaited inside db.commit: ' +
  'the transaction is shared with other callers and cannot wait. Fetch before the commit, act after it.'

/**
 * Units run bare first: a savepoint each would copy every page they touch, which cost a third of a commit (measured).
 * Only when a unit fails after it has written is the transaction rolled back and the whole group run once more, this
 * time with savepoints, so that the failing unit alone is undone. Units have no side effects, so that is allowed.
 *
 * A group runs within one turn of the event loop: the units' awaits resolve at once, so the microtask queue runs dry
 * only when all have ended, or when one awaits something foreign. That is how the latter is noticed, for the price of
 * one `nextTick` per group, and why no other code can run while a unit is in progress.
 */
export function createGroupCommit({
  connection,
  prepare,
  log,
  onFault,
  beforeGroup,
  freeSpace,
  facts,
}: GroupCommitDeps): GroupCommit {
  const sequences = createSequences(prepare)
  const commits = facts === null ? null : createCommitCount(prepare)
  const [begin, commit, rollback] = [prepareVerb('BEGIN IMMEDIATE'), prepareVerb('COMMIT'), prepareVerb('ROLLBACK')]
  const [savepoint, undo, release] = [
    prepareVerb('SAVEPOINT unit'),
    prepareVerb('ROLLBACK TO unit'),
    prepareVerb('RELEASE unit'),
  ]

  let waiting: Unit[] = []
  /** How many units waited in the previous turn. */
  let waitingBefore = 0
  let lastSize = 0
  let isScheduled = false
  let isStopped = false
  let hasFailed = false
  let group: Unit[] = []
  let position = 0
  let isGuarded = false
  let factsBefore = 0
  let running: RunningUnit | undefined
  let fault: StorageError | undefined

  /** A transaction statement, ready to run. */
  function prepareVerb(text: string): () => unknown {
    const prepared = prepare({ text })
    return () => prepared.run(NOTHING)
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(start)
  }

  /**
   * The cost of a commit does not depend on the number of its units. While each turn of the event loop adds more, the
   * group waits for them: under load this means a quarter fewer commits and a seventh more sends (measured).
   */
  function isGrowing(): boolean {
    const hasGrown = waiting.length > waitingBefore
    waitingBefore = waiting.length
    return hasGrown && lastSize >= BUSY_GROUP && waiting.length < UNITS_PER_GROUP
  }

  function start(): void {
    if (isGrowing()) return void setImmediate(start)
    waitingBefore = 0
    isScheduled = false
    group = waiting.length <= UNITS_PER_GROUP ? waiting : waiting.slice(0, UNITS_PER_GROUP)
    waiting = waiting.length <= UNITS_PER_GROUP ? [] : waiting.slice(UNITS_PER_GROUP)
    lastSize = group.length
    if (group.length === 0) return
    if (waiting.length > 0) schedule()
    fault = undefined
    beforeGroup()
    watch()
    run(false)
  }

  /** @param guarded uses a savepoint for each unit. */
  function run(guarded: boolean): void {
    isGuarded = guarded
    position = 0
    guard(begin)
    guard(() => commits?.begin())
    runNext()
  }

  /** A unit failed after it had written: the group was rolled back, and the other units run again. */
  function runAgain(): void {
    guard(rollback)
    undoGroup()
    run(true)
  }

  function undoGroup(): void {
    sequences.undoGroup()
    facts?.undo(0)
  }

  function runNext(): void {
    const unit = group[position]
    if (!unit || fault) return finish()
    if (isGuarded && !guard(savepoint)) return finish()
    sequences.beginUnit()
    factsBefore = facts?.mark() ?? 0
    const mine = (running = unit.running = openUnit(prepare, sequences))
    try {
      unit.work(mine.tx).then(
        (value) => ended(unit, mine, { ok: true, value }),
        (error: unknown) => ended(unit, mine, { ok: false, error }),
      )
    } catch (error) {
      ended(unit, mine, { ok: false, error })
    }
  }

  function ended(unit: Unit, mine: RunningUnit, outcome: Outcome): void {
    // An abandoned unit ends later, after its group.
    if (running !== mine) return
    running = undefined
    mine.end()
    unit.outcome = outcome.ok && mine.failure ? { ok: false, error: mine.failure } : outcome
    if (mine.failure instanceof StorageError) fault = mine.failure
    else if (!unit.outcome.ok) {
      if (!isGuarded && mine.hasWritten) return runAgain()
      if (isGuarded) {
        guard(undo)
        sequences.undoUnit()
        facts?.undo(factsBefore)
      }
    }
    if (isGuarded && !fault) guard(release)
    position++
    runNext()
  }

  function watch(): void {
    // A tick requested in a microtask runs after all microtasks.
    queueMicrotask(() => process.nextTick(abandonIfStuck))
  }

  function abandonIfStuck(): void {
    const unit = group[position]
    if (!running || !unit) return
    watch()
    ended(unit, running, { ok: false, error: running.fail(new Error(FOREIGN_AWAIT)) })
  }

  function finish(): void {
    if (!fault && facts !== null) guard(facts.write)
    if (!fault) guard(() => commits?.count())
    if (!fault) guard(commit)
    if (!fault) confirm()
    if (fault?.kind === 'full' && freeSpace()) return retryWithSpace()
    const units = group
    group = []
    if (fault) rejectAll(units, fault)
    else settle(units)
  }

  function confirm(): void {
    const count = commits?.keep() ?? null
    if (count !== null) runSafely(() => facts?.confirm(count))
  }

  /** A full disk certainly stored nothing of the group, unlike other disk faults. */
  function retryWithSpace(): void {
    fault = undefined
    if (connection.inTransaction) guard(rollback)
    undoGroup()
    run(true)
  }

  function rejectAll(units: readonly Unit[], reason: StorageError): void {
    if (connection.inTransaction) guard(rollback)
    undoGroup()
    if (isDiskFault(reason)) fail()
    for (const unit of units) unit.reject(reason)
    log.error({ event: 'storage.fault', kind: reason.kind, units: units.length, cause: cause(reason.cause) })
    runSafely(() => onFault(reason))
  }

  function settle(units: readonly Unit[]): void {
    sequences.keepGroup()
    for (const { outcome, running: done, resolve, reject } of units) {
      if (!outcome.ok) reject(outcome.error)
      else {
        done?.afterCommit?.forEach(runSafely)
        resolve(outcome.value)
      }
    }
  }

  function fail(): void {
    hasFailed = true
    // These units have not started, so their result is certain.
    for (const unit of waiting.splice(0)) unit.reject(readOnly())
  }

  /** An error in a callback does not affect the group. */
  function runSafely(act: () => void): void {
    try {
      act()
    } catch (error) {
      log.error({ event: 'storage.after_commit', cause: cause(error) })
    }
  }

  /** The first failing statement fails the whole group. */
  function guard(act: () => unknown): boolean {
    try {
      act()
      return true
    } catch (error) {
      fault ??= asStorageError(error, `The storage failed: ${error instanceof Error ? error.message : String(error)}`)
      return false
    }
  }

  function refuseInsideUnit(act: string): Error | undefined {
    return running?.fail(new Error(`${act} was called inside a unit of work. Use the unit's own tx there.`))
  }

  return {
    refuseInsideUnit,
    fail,
    hasFailed: () => hasFailed,
    commit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      const refusal = refuseInsideUnit('db.commit')
      if (refusal) return refuse(refusal)
      if (isStopped) return refuse(new StorageError('closed', 'The database is closed'))
      if (hasFailed) return refuse(readOnly())
      return new Promise<T>((resolve, reject) => {
        // The unit's own caller typed its result.
        const settle = resolve as (value: unknown) => void
        waiting.push({ work, resolve: settle, reject, outcome: NOT_RUN, running: undefined })
        schedule()
      })
    },
    async stop() {
      isStopped = true
      while (isScheduled || running) await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

function refuse<T>(error: Error): Promise<T> {
  const refusal = Promise.reject<T>(error)
  // The unit that called without awaiting has already failed; the process need not end.
  if (!(error instanceof StorageError)) refusal.catch(() => {})
  return refusal
}
