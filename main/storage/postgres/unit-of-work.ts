import { StorageError, type Tx } from '../../kernel/db.ts'
import type { Connection } from './connection.ts'
import type { Sequences } from './sequences.ts'
import { execute, translate } from './statements.ts'

/** A running unit of work. */
export interface RunningUnit {
  readonly tx: Tx
  /** The first error. A unit with an error cannot commit, even if it caught the error. */
  readonly failure: Error | undefined
  /** Whether it may have changed the database. */
  readonly hasWritten: boolean
  /** Whether the server refused a statement; the transaction accepts no others after that. */
  readonly hasAborted: boolean
  readonly afterCommit: readonly (() => void)[]
  /** Ends the unit: waits for its statements, and refuses further ones. */
  end(): Promise<void>
}

const FOREIGN_AWAIT =
  'A unit of work awaited something other than tx. Only storage may be awaited inside db.commit: ' +
  'the transaction is shared with other callers and cannot wait. Fetch before the commit, act after it.'

/** @param onStuck called when the unit waits for something other than its statements. */
export function openUnit(connection: Connection, sequences: Sequences, onStuck: () => void): RunningUnit {
  let isOpen = true
  let failure: Error | undefined
  let hasWritten = false
  let hasAborted = false
  const afterCommit: (() => void)[] = []
  const open = new Set<Promise<unknown>>()

  /** Called when a statement was answered: a unit that has neither ended nor sent another one waits for something else. */
  function watch(): void {
    setImmediate(() => {
      if (!isOpen || open.size > 0) return
      failure ??= new Error(FOREIGN_AWAIT)
      onStuck()
    })
  }

  function answer<T>(act: () => Promise<T>): Promise<T> {
    const result = ask(act)
    open.add(result)
    const answered = () => {
      open.delete(result)
      watch()
    }
    // A statement without await still fails its unit.
    result.then(answered, answered)
    return result
  }

  async function ask<T>(act: () => Promise<T>): Promise<T> {
    try {
      if (!isOpen) throw new Error('This unit of work is over; its transaction no longer exists')
      if (failure instanceof StorageError) throw failure
      return await act()
    } catch (caught) {
      const error = caught instanceof Error ? caught : new Error(String(caught))
      if (isOpen) failure ??= error
      throw error
    }
  }

  async function run(statement: { readonly text: string }, params: object) {
    if (!translate(statement).isReadonly) hasWritten = true
    try {
      return await execute(connection, statement, params)
    } catch (error) {
      hasAborted = true
      throw error
    }
  }

  watch()
  return {
    tx: {
      // Row types are claims written beside the SQL (kernel/sql.ts); the stores' tests prove them.
      all: (statement, params) => answer(async () => (await run(statement, params)).rows as never),
      one: (statement, params) => answer(async () => (await run(statement, params)).rows[0] as never),
      run: (statement, params) => answer(async () => (await run(statement, params)).rowCount ?? 0),
      next(sequence) {
        hasWritten = true
        return answer(() => sequences.next(sequence))
      },
      afterCommit: (act) => void afterCommit.push(act),
    },
    get failure() {
      return failure
    },
    get hasWritten() {
      return hasWritten
    },
    get hasAborted() {
      return hasAborted
    },
    afterCommit,
    async end() {
      while (open.size > 0) await Promise.allSettled(open)
      isOpen = false
    },
  }
}
