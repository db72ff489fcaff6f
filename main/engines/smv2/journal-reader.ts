interface Row {
  readonly seq: number
}

interface JournalReaderDeps<R extends Row> {
  /** Unfinished rows after this number, oldest first, at most `pageSize`. */
  page(after: number): Promise<readonly R[]>
  readonly pageSize: number
  /** Those of these rows that are unfinished, oldest first. */
  rows(seqs: readonly number[]): Promise<readonly R[]>
  /** Rows of one lane run in order. undefined leaves the row alone. */
  laneOf(row: R): string | undefined
  /** Finishes a row, durably. Rejects if it must be retried. */
  act(row: R): Promise<void>
  /** Reading or a row failed. The owner calls `retry` after a pause. */
  onFailure(error: unknown): void
}

/** A lane keeps this many rows in memory, and of the rest only their numbers. */
const LANE_ROWS = 8
/** Bounds memory if very many chats wait for slow files. */
const MAX_ROWS = 512
/** Of rows that were left in storage. Nothing beyond them is read until some are finished. */
const MAX_LEFT = 200_000

interface Lane<R> {
  rows: R[]
  /** Later rows, which are still in storage. */
  left: number[]
  /** How many of them were taken already: removing each from a long list would take long. */
  taken: number
}

const countLeft = ({ left, taken }: Lane<unknown>): number => left.length - taken

/**
 * Reads a journal forward, each row once, and runs its rows in lanes. A lane that waits does not delay others. What a lane
 * has no room for is read again by its number, when its turn has come.
 */
export function createJournalReader<R extends Row>(deps: JournalReaderDeps<R>) {
  const lanes = new Map<string, Lane<R>>()
  /** Lanes whose row failed; they rest until `retry`. */
  const failed = new Set<string>()
  const running = new Set<Promise<void>>()
  let cursor = 0
  let rowCount = 0
  let leftCount = 0
  let isReading = false
  let isAsked = false
  let isClosed = false

  function wake(): void {
    isAsked = true
    readOn()
  }

  function retry(): void {
    const rested = [...failed]
    failed.clear()
    for (const key of rested) {
      const lane = lanes.get(key)
      if (lane) track(run(key, lane))
    }
    wake()
  }

  function track(work: Promise<void>): void {
    running.add(work)
    void work.finally(() => running.delete(work))
  }

  function readOn(): void {
    if (isAsked && !isReading && mayRead()) track(read())
  }

  const mayRead = () => !isClosed && rowCount < MAX_ROWS && leftCount < MAX_LEFT

  async function read(): Promise<void> {
    isReading = true
    try {
      while (isAsked && mayRead()) {
        isAsked = false
        await readForward()
      }
    } catch (error) {
      if (!hasClosed()) deps.onFailure(error)
    } finally {
      isReading = false
    }
  }

  async function readForward(): Promise<void> {
    const rows = await deps.page(cursor)
    for (const row of rows) {
      admit(row)
      cursor = row.seq
    }
    if (rows.length === deps.pageSize) isAsked = true
  }

  function admit(row: R): void {
    const key = deps.laneOf(row)
    if (key === undefined) return
    const lane = lanes.get(key)
    if (lane === undefined) {
      const opened: Lane<R> = { rows: [row], left: [], taken: 0 }
      lanes.set(key, opened)
      rowCount++
      track(run(key, opened))
    } else if (failed.has(key) || countLeft(lane) > 0 || lane.rows.length >= LANE_ROWS) {
      lane.left.push(row.seq)
      leftCount++
    } else {
      lane.rows.push(row)
      rowCount++
    }
  }

  // A function, because it changes while something is awaited and a variable would be narrowed.
  const hasClosed = () => isClosed

  async function run(key: string, lane: Lane<R>): Promise<void> {
    try {
      while (!hasClosed()) {
        if (lane.rows.length === 0 && countLeft(lane) > 0) await refill(lane)
        const [row] = lane.rows
        if (row !== undefined) await finish(lane, row)
        // No await in between: a row that is admitted meanwhile would be lost.
        else if (countLeft(lane) === 0) return void lanes.delete(key)
      }
    } catch (error) {
      rest(key, lane)
      if (!hasClosed()) deps.onFailure(error)
    }
  }

  async function finish(lane: Lane<R>, row: R): Promise<void> {
    await deps.act(row)
    lane.rows.shift()
    rowCount--
    readOn()
  }

  /** Reads the next of what was left, once nothing else of the lane is in memory. */
  async function refill(lane: Lane<R>): Promise<void> {
    const seqs = lane.left.slice(lane.taken, lane.taken + LANE_ROWS)
    // Some rows may be skipped from now on.
    const rows = (await deps.rows(seqs)).filter((row) => deps.laneOf(row) !== undefined)
    lane.taken += seqs.length
    leftCount -= seqs.length
    if (lane.taken * 2 > lane.left.length) {
      lane.left = lane.left.slice(lane.taken)
      lane.taken = 0
    }
    lane.rows = rows
    rowCount += rows.length
  }

  function rest(key: string, lane: Lane<R>): void {
    lane.left = [...lane.rows.map(({ seq }) => seq), ...lane.left.slice(lane.taken)]
    lane.taken = 0
    leftCount += lane.rows.length
    rowCount -= lane.rows.length
    lane.rows = []
    failed.add(key)
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
