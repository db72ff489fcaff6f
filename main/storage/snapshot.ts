import type { Database } from 'better-sqlite3'
import type { Prepare, Prepared } from './statements.ts'

/** All reads of one turn of the event loop see the same state. */
export interface Snapshot {
  /** Before each read. */
  begin(): void
  /** Before each group of commits, so that later reads see them, and no checkpoint waits for a reader. */
  end(): void
}

interface SnapshotNeeds {
  /** The reading connection. */
  readonly connection: Database
  readonly prepare: Prepare
  /** Called if a snapshot fails to close. Its reads were answered, so there is no caller to reject. */
  readonly onFailure: (error: unknown) => void
}

const NOTHING = {}

/**
 * One read transaction for the reads of a turn. Otherwise each read would open its own, and the lock is half the cost
 * of a short read (measured: 4.3 against 2.0 µs).
 */
export function createSnapshot({ connection, prepare, onFailure }: SnapshotNeeds): Snapshot {
  const [open, close, drop] = [prepare({ text: 'BEGIN' }), prepare({ text: 'COMMIT' }), prepare({ text: 'ROLLBACK' })]
  let isOpen = false

  function end(): void {
    if (!isOpen) return
    isOpen = false
    attempt(close)
    // If left open, all later reads would see the old state.
    if (connection.inTransaction) attempt(drop)
  }

  function attempt(word: Prepared): void {
    try {
      word.run(NOTHING)
    } catch (error) {
      onFailure(error)
    }
  }

  return {
    begin() {
      if (isOpen) return
      open.run(NOTHING)
      isOpen = true
      setImmediate(end)
    },
    end,
  }
}
