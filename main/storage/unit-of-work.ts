import { StorageError, type Tx } from '../kernel/db.ts'
import type { Sequences } from './sequences.ts'
import type { Prepare } from './statements.ts'

/** One unit of work while it runs. */
export interface RunningUnit {
  readonly tx: Tx
  /** What went wrong first. A unit with a failure cannot commit, even if it caught the error: nor could it elsewhere. */
  readonly failure: Error | undefined
  /** Whether something it did may have changed the database. */
  readonly hasWritten: boolean
  fail(error: Error): Error
  /** What to do after the commit; undefined for most units. */
  readonly afterCommit: readonly (() => void)[] | undefined
  /** From here on the transaction belongs to the next unit, and this one's calls are refused. */
  end(): void
}

/** Statements run at once and their promises are already resolved, so a unit never leaves the microtask queue. */
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
      // A statement nobody awaited still fails its unit; without this it would end the process as well.
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
