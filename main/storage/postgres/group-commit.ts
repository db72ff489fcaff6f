import { StorageError, type Tx } from '../../kernel/db.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { Connection } from './connection.ts'
import { isLost, isWorthRepeating, mapPostgresError } from './errors.ts'
import { createSequences } from './sequences.ts'
import { openUnit, type RunningUnit } from './unit-of-work.ts'

/** Groups units of work into transactions. Rules: kernel/db.ts. */
export interface GroupCommit {
  readonly commit: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  /** How many groups that wrote something were committed. */
  revision(): number
  /** Accepts no more work, and resolves when all waiting work is settled. */
  stop(): Promise<void>
}

interface GroupCommitDeps {
  /** Opens the connection for writing. @throws the driver's error */
  readonly connect: () => Promise<Connection>
  /** Identifies this opening of the database. */
  readonly boot: string
  readonly log: Log
  readonly onFault: (fault: StorageError) => void
  /** Waits before the next attempt to reach the server. */
  readonly sleep: (ms: number) => Promise<void>
}

interface Unit {
  readonly work: (tx: Tx) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type Outcome =
  | { readonly ok: true; readonly value: unknown; readonly afterCommit: readonly (() => void)[] }
  | { readonly ok: false; readonly error: unknown }

type Attempt =
  | { readonly kind: 'committed'; readonly outcomes: readonly Outcome[] }
  /** A unit failed after it had written. Nothing is stored; the units run again with a savepoint each. */
  | { readonly kind: 'undone' }
  /** Nothing is stored. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** COMMIT was sent and not answered. */
  | { readonly kind: 'in_doubt'; readonly outcomes: readonly Outcome[]; readonly number: number }

const UNITS_PER_GROUP = 64
/** How long a group waits for a server that is away: longer than the restart of a server takes. */
const ATTEMPTS = 15
const BETWEEN_ATTEMPTS_MS = 500

/**
 * Units run bare first. When one fails after it has written, the transaction is rolled back and the group runs once
 * more, this time with savepoints, so that the failing unit alone is undone. Units have no side effects, so that is
 * allowed.
 */
export function createGroupCommit({ connect, boot, log, onFault, sleep }: GroupCommitDeps): GroupCommit {
  const sequences = createSequences()
  const waiting: Unit[] = []
  let connection: Connection | undefined
  let working: Promise<void> | undefined
  let isStopped = false
  let revision = 0
  /** The number of the last group that tried to commit. */
  let number = 0

  const commits = createCommitMarks(boot)

  async function usable(): Promise<Connection> {
    if (connection?.isUsable() !== true) connection = await connect()
    return connection
  }

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      // Units that arrive in this turn of the event loop join the group.
      await new Promise((resolve) => setImmediate(resolve))
      const units = waiting.splice(0, UNITS_PER_GROUP)
      const outcomes = await runGroup(units)
      for (const [at, unit] of units.entries()) settle(unit, outcomes[at])
    }
    working = undefined
  }

  function settle({ resolve, reject }: Unit, outcome: Outcome | undefined): void {
    if (outcome?.ok !== true) return reject(outcome?.error)
    outcome.afterCommit.forEach(runSafely)
    resolve(outcome.value)
  }

  /** Resolves once the group is committed, or certainly cannot be. */
  async function runGroup(units: readonly Unit[]): Promise<readonly Outcome[]> {
    let isGuarded = false
    for (let left = ATTEMPTS; ;) {
      const attempt = await tryGroup(units, isGuarded)
      switch (attempt.kind) {
        case 'committed':
          return attempt.outcomes
        case 'undone':
          isGuarded = true
          break
        case 'in_doubt': {
          const isCommitted = await findOut(attempt.number)
          if (isCommitted === undefined) return reject(units, new StorageError('unknown', 'COMMIT was not answered'))
          if (isCommitted) return attempt.outcomes
          if (--left === 0) return reject(units, new StorageError('unreachable', 'No COMMIT reached the server'))
          break
        }
        case 'failed':
          if (!isWorthRepeating(attempt.error) || --left === 0 || isStopped)
            return reject(units, asFault(attempt.error))
          await sleep(BETWEEN_ATTEMPTS_MS)
      }
    }
  }

  async function tryGroup(units: readonly Unit[], isGuarded: boolean): Promise<Attempt> {
    let on: Connection | undefined
    try {
      on = await usable()
      await Promise.all([on.query({ text: 'BEGIN' }), on.query(LOCK_WRITERS), sequences.begin(on)])
      const ran = await runUnits(on, units, isGuarded)
      if (ran === 'undone') {
        await on.query({ text: 'ROLLBACK' })
        return { kind: 'undone' }
      }
      return await commitGroup(on, ran)
    } catch (error) {
      // A lost connection takes its transaction with it.
      if (on?.isUsable() === true) await on.query({ text: 'ROLLBACK' }).catch(() => {})
      return { kind: 'failed', error }
    }
  }

  async function runUnits(
    on: Connection,
    units: readonly Unit[],
    isGuarded: boolean,
  ): Promise<{ outcomes: Outcome[]; hasWritten: boolean } | 'undone'> {
    const outcomes: Outcome[] = []
    let hasWritten = false
    for (const { work: act } of units) {
      if (isGuarded) await on.query({ text: 'SAVEPOINT unit' })
      const { running, outcome } = await runUnit(on, act)
      if (running.failure instanceof StorageError) throw running.failure
      if (!outcome.ok && !isGuarded && (running.hasWritten || running.hasAborted)) return 'undone'
      if (isGuarded) await on.query({ text: outcome.ok ? 'RELEASE unit' : 'ROLLBACK TO unit' })
      hasWritten ||= running.hasWritten
      outcomes.push(outcome)
    }
    return { outcomes, hasWritten }
  }

  async function runUnit(on: Connection, act: Unit['work']): Promise<{ running: RunningUnit; outcome: Outcome }> {
    const { promise: stuck, resolve: onStuck } = Promise.withResolvers<undefined>()
    const running = openUnit(on, sequences, () => onStuck(undefined))
    const result = (async () => act(running.tx))().then(
      (value): Outcome => ({ ok: true, value, afterCommit: running.afterCommit }),
      (error: unknown): Outcome => ({ ok: false, error }),
    )
    const ended = await Promise.race([result, stuck])
    await running.end()
    const outcome = ended ?? { ok: false, error: running.failure }
    return { running, outcome: outcome.ok && running.failure ? { ok: false, error: running.failure } : outcome }
  }

  async function commitGroup(
    on: Connection,
    { outcomes, hasWritten }: { outcomes: readonly Outcome[]; hasWritten: boolean },
  ): Promise<Attempt> {
    if (!hasWritten) {
      await on.query({ text: 'COMMIT' })
      return { kind: 'committed', outcomes }
    }
    const mine = ++number
    const stored = Promise.all([sequences.store(on), on.query(commits.mark(mine))])
    const committed = on.query({ text: 'COMMIT' })
    // It fails with the statements before it, whose error is the one to report.
    committed.catch(() => {})
    try {
      await stored
      const { command } = await committed
      if (command !== 'COMMIT') throw new Error(`COMMIT was answered with ${command}`)
    } catch (error) {
      return isLost(error) ? { kind: 'in_doubt', outcomes, number: mine } : { kind: 'failed', error }
    }
    revision++
    return { kind: 'committed', outcomes }
  }

  /** @returns whether a group was committed; undefined: the server does not say. */
  async function findOut(mine: number): Promise<boolean | undefined> {
    for (let left = ATTEMPTS; left > 0; left--) {
      try {
        const on = await usable()
        await Promise.all([on.query({ text: 'BEGIN' }), on.query(LOCK_WRITERS)])
        const { rows } = await on.query(commits.read)
        await on.query({ text: 'COMMIT' })
        return (rows as { number: number }[])[0]?.number === mine
      } catch (error) {
        log.warn({ event: 'storage.in_doubt', cause: cause(error) })
        await connection?.query({ text: 'ROLLBACK' }).catch(() => {})
        await sleep(BETWEEN_ATTEMPTS_MS)
      }
    }
    return undefined
  }

  function reject(units: readonly Unit[], reason: StorageError): readonly Outcome[] {
    log.error({ event: 'storage.fault', kind: reason.kind, units: units.length, cause: cause(reason.cause) })
    runSafely(() => onFault(reason))
    return units.map(() => ({ ok: false, error: reason }))
  }

  /** An error in a callback does not affect the group. */
  function runSafely(act: () => void): void {
    try {
      act()
    } catch (error) {
      log.error({ event: 'storage.after_commit', cause: cause(error) })
    }
  }

  return {
    commit<T>(act: (tx: Tx) => Promise<T>): Promise<T> {
      if (isStopped) return Promise.reject(new StorageError('closed', 'The database is closed'))
      return new Promise<T>((resolve, rejectUnit) => {
        // The unit's own caller typed its result.
        waiting.push({ work: act, resolve: resolve as (value: unknown) => void, reject: rejectUnit })
        working ??= work()
      })
    },
    revision: () => revision,
    async stop() {
      isStopped = true
      await working
      await connection?.close()
    },
  }
}

function asFault(error: unknown): StorageError {
  const mapped = mapPostgresError(error, 'COMMIT')
  return mapped instanceof StorageError
    ? mapped
    : new StorageError('unreachable', mapped.message, { cause: mapped.cause })
}

/** Any number that no other program takes on the same database. */
export const LOCK_WRITERS = { name: 'lock', text: 'SELECT pg_advisory_xact_lock(7236141)' }

/**
 * Each group writes its number. If the connection is lost during COMMIT, the number says afterwards whether the group
 * was committed. All writers of a database take one lock first, so that units of several processes run one after
 * another as in SQLite: what a unit has read is still true when it writes. The lock ends with its transaction, so it is
 * free only once the server has ended the transaction that was lost.
 */
function createCommitMarks(boot: string) {
  return {
    mark: (number: number) => ({
      name: 'mark',
      text: `INSERT INTO commit_marks (boot, number, at) VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
        ON CONFLICT (boot) DO UPDATE SET number = excluded.number, at = excluded.at`,
      values: [boot, number],
    }),
    read: { name: 'read_mark', text: 'SELECT number FROM commit_marks WHERE boot = $1', values: [boot] },
  }
}
