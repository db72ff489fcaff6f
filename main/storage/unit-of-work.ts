import { StorageError, type Tx } from '../kernel/db.ts'
import type { Sequences } from './sequences.ts'
import type { Prepare } from './statements.ts'

/** A running unit of work. */
export interface RunningUnit {
  readonly tx: Tx
  /** The first error. A unit with an error cannot commit, even if it caught the error. */
  readonly failure: Error | undefined
  /** Whether it may have changed the database. */
  readonly hasWritten: boolean
  fail(error: Error): Error
  /** Callbacks for after the commit; undefined for most units. */
  readonly afterCommit: readonly (() => void)[] | undefined
  /** Ends the unit: the transaction then belongs to the next one, and further calls of this one are refused. */
  end(): void
}

/** Statements run synchronously and return resolved promises, so a unit never leaves the microtask queue. */
export function openUnit(prepare: Prepare, sequences: Sequences): RunningUnit {
  let isOpen = true
  let failure: Error | undefined
  let hasWritten = false
  let afterCommit: (() => void)[] | undefined

  const fail = (error: Error) => (failure ??= error)

  function answer<T>(act: () => T): Promise<T> {
    try {
      if (!isOpen) throw new Error('This unit of work is over; its transaction no longer exists')
      if (failure instanceof StorageError) throw failure
      return Promise.resolve(act())
    } catch (caught) {
      const error = caught instanceof Error ? caught : new Error(String(caught))
      if (isOpen) fail(error)
      const refusal = Promise.reject<T>(error)
      // A statement without await still fails its unit; without this line it would also end the process.
      refusal.catch(() => {})
      return refusal
    }
  }

  const prepared = (statement: { text: string }) => {
    const found = prepare(statement)
    if (!found.isReadonly) hasWritten = true
    return found
  }

  // Row types are claims written beside the SQL (kernel/sql.ts); the stores' tests prove them.
  const tx: Tx = {
    all: <R>(statement: { text: string }, params: object) => answer(() => prepared(statement).all(params) as R[]),
    one: <R>(statement: { text: string }, params: object) =>
      answer(() => prepared(statement).one(params) as R | undefined),
    run: (statement, params) => answer(() => prepared(statement).run(params)),
    next(sequence) {
      hasWritten = true
      return answer(() => sequences.next(sequence))
    },
    afterCommit: (act) => void (afterCommit ??= []).push(act),
  }
  return {
    tx,
    fail,
    get failure() {
      return failure
    },
    get hasWritten() {
      return hasWritten
    },
    get afterCommit() {
      return afterCommit
    },
    end: () => void (isOpen = false),
  }
}
