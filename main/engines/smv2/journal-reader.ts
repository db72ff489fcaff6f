interface Row {
  readonly seq: number
}

interface JournalReaderDeps<R extends Row> {
  /** Unfinished rows after this number, oldest first, at most `pageSize`. */
  page(after: number): Promise<readonly R[]>
  readonly pageSize: number
  /** Rows of one lane run in order. undefined leaves the row alone. */
  laneOf(row: R): string | undefined
  /** Finishes a row, durably. Rejects if it must be retried. */
  act(row: R): Promise<void>
  /** Reading or a row failed. The owner calls `retry` after a pause. */
  onFailure(error: unknown): void
}

/** A lane keeps this many rows in memory. The rest stay in storage until it has finished them. */
const LANE_ROWS = 32
/** Bounds memory if very many chats wait for slow files. */
const MAX_IN_FLIGHT = 1_024

interface Lane<R> {
  readonly rows: R[]
  lastDone: number
  /** Later rows of this lane are still in storage, so nothing may enter it until they are read again. */
  hasOverflowed: boolean
}

/** Reads a journal forward and runs its rows in lanes. A lane that waits holds up no other. */
export function createJournalReader<R extends Row>(deps: JournalReaderDeps<R>) {
  const lanes = new Map<string, Lane<R>>()
  /** Lanes whose row failed; they rest until `retry`. */
  const failed = new Set<string>()
  const inFlight = new Set<number>()
  /** Finished while a page was being read, which may still contain them. */
  const finished = new Set<number>()
  const running = new Set<Promise<void>>()
  let cursor = 0
  /** Where reading must start again, because rows were left in storage. */
  let rewindTo: number | undefined
  let isReading = false
  let isAsked = false
  let isClosed = false

  function wake(): void {
    isAsked = true
    if (!isReading && !isClosed) track(read())
  }

  function retry(): void {
    for (const key of failed) release(key)
    failed.clear()
    wake()
  }

  function track(work: Promise<void>): void {
    running.add(work)
    void work.finally(() => running.delete(work))
  }

  async function read(): Promise<void> {
    isReading = true
    try {
      while (isAsked && !isClosed && inFlight.size < MAX_IN_FLIGHT) {
        isAsked = false
        await readForward()
      }
    } catch (error) {
      if (!hasClosed()) deps.onFailure(error)
    } finally {
      isReading = false
    }
  }

  // Functions, because both change while something is awaited and a variable would be narrowed.
  const mustRewind = () => rewindTo !== undefined
  const hasClosed = () => isClosed

  async function readForward(): Promise<void> {
    if (rewindTo !== undefined) cursor = Math.min(cursor, rewindTo)
    rewindTo = undefined
    finished.clear()
    const rows = await deps.page(cursor)
    if (mustRewind()) {
      // A lane left rows behind meanwhile. Later rows of this page must not overtake them.
      isAsked = true
      return
    }
    for (const row of rows) {
      if (!inFlight.has(row.seq) && !finished.has(row.seq)) admit(row)
      cursor = row.seq
    }
    if (rows.length === deps.pageSize) isAsked = true
  }

  function admit(row: R): void {
    const key = deps.laneOf(row)
    if (key === undefined) return
    const lane = lanes.get(key)
    if (lane?.hasOverflowed) return
    if (lane && lane.rows.length >= LANE_ROWS) {
      lane.hasOverflowed = true
      return
    }
    inFlight.add(row.seq)
    if (lane) return void lane.rows.push(row)
    const opened = { rows: [row], lastDone: row.seq - 1, hasOverflowed: false }
    lanes.set(key, opened)
    track(run(key, opened))
  }

  async function run(key: string, lane: Lane<R>): Promise<void> {
    for (let row = lane.rows[0]; row !== undefined && !isClosed; row = lane.rows[0]) {
      try {
        await deps.act(row)
      } catch (error) {
        rest(key, lane)
        if (!hasClosed()) deps.onFailure(error)
        return
      }
      lane.rows.shift()
      lane.lastDone = row.seq
      inFlight.delete(row.seq)
      finished.add(row.seq)
    }
    release(key)
    if (lane.hasOverflowed || isAsked) wake()
  }

  function rest(key: string, lane: Lane<R>): void {
    for (const { seq } of lane.rows.splice(0)) inFlight.delete(seq)
    lane.hasOverflowed = true
    failed.add(key)
  }

  function release(key: string): void {
    const lane = lanes.get(key)
    lanes.delete(key)
    if (lane?.hasOverflowed) rewindTo = Math.min(rewindTo ?? lane.lastDone, lane.lastDone)
  }

  return {
    /** New rows were stored. */
    wake,
    /** Runs failed lanes again. */
    retry,
    /** Resolves when no row is running. */
    async close(): Promise<void> {
      isClosed = true
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}
