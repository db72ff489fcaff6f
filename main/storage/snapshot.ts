import type { Prepare } from './statements.ts'

/** The reads of one turn of the event loop, seen at one moment. */
export interface Snapshot {
  /** Before each read. */
  begin(): void
  /** Before each group of commits: what is read after them sees them, and no checkpoint waits for a reader. */
  end(): void
}

const NOTHING = {}

/**
 * One read transaction for the reads of a turn. Each would open one of its own otherwise, and taking and returning its
 * lock is half the price of a short read (measured: 4.3 against 2.0 µs).
 */
export function createSnapshot(prepare: Prepare): Snapshot {
  const [open, close] = [prepare({ text: 'BEGIN' }), prepare({ text: 'COMMIT' })]
  let isOpen = false

  function end(): void {
    if (!isOpen) return
    isOpen = false
    close.run(NOTHING)
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
