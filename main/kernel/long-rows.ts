import { yieldToEventLoop } from './yield-to-event-loop.ts'

/** Rows of 200 kB read first, and the fewest that are read at once. */
const FEW = 4
/** So many times as many are read at once where those before were short: the next can be long. */
const MOST_TIMES = 3
/** Characters that are read or written before others have a turn: a few ms. */
const SLICE_CHARS = 128 * 1024
/** Characters after which a page ends. Without it, a page of the longest messages would be 40 MB. */
const PAGE_CHARS = 1024 * 1024

/** Of this thread: long pages take turns, one slice in each turn of the event loop, however many are asked for at once. */
const turns = { waiting: 0, isTaken: false, last: Promise.resolve() }

async function nextTurn(): Promise<void> {
  turns.waiting++
  turns.last = turns.last.then(yieldToEventLoop)
  await turns.last
  turns.waiting--
}

/** The first slice of a page is read without waiting, unless another page has read in this turn of the event loop. */
async function takeTurn(): Promise<void> {
  if (turns.isTaken) await nextTurn()
  turns.isTaken = true
  setImmediate(() => (turns.isTaken = turns.waiting > 0))
}

interface LongPage<R> {
  readonly shown: R[]
  readonly hasMore: boolean
}

/**
 * Reads a page of rows that may be long. It has fewer than `limit` rows if they are very long.
 * @param read the next rows after `last`, at most so many.
 * @param few how many of the longest rows can be read in a few ms.
 */
export async function readLongPage<R extends object>(
  limit: number,
  read: (rows: number, last: R | undefined) => Promise<readonly R[]>,
  few = FEW,
): Promise<LongPage<R>> {
  const found: R[] = []
  let [size, longest, chars] = [few, 1, 0]
  for (;;) {
    await takeTurn()
    const wanted = Math.min(size, limit + 1 - found.length)
    const slice = await read(wanted, found.at(-1))
    found.push(...slice)
    if (found.length > limit) return { shown: found.slice(0, limit), hasMore: true }
    if (slice.length < wanted) return { shown: found, hasMore: false }
    const lengths = slice.map(charsOf)
    chars += lengths.reduce((sum, length) => sum + length, 0)
    // The last one proves that there are more.
    if (chars >= PAGE_CHARS && found.length > 1) return { shown: found.slice(0, -1), hasMore: true }
    longest = Math.max(longest, ...lengths)
    size = Math.min(few * MOST_TIMES, Math.max(few, Math.floor(SLICE_CHARS / longest)))
  }
}

/** Converts items that may be long, with a turn for others after some of them. */
export async function convertLong<T, U extends string | Buffer | object>(
  items: readonly T[],
  convert: (item: T) => U,
): Promise<U[]> {
  const made: U[] = []
  let chars = 0
  for (const item of items) {
    if (chars >= SLICE_CHARS) {
      await nextTurn()
      chars = 0
    }
    const one = convert(item)
    made.push(one)
    chars += typeof one === 'string' || Buffer.isBuffer(one) ? one.length : charsOf(one)
  }
  return made
}

/** Of the texts of an object, and of the objects in it. */
export const charsOf = (value: object): number =>
  Object.values(value).reduce<number>((sum, one: unknown) => {
    if (typeof one === 'string') return sum + one.length
    return typeof one === 'object' && one !== null ? sum + charsOf(one) : sum
  }, 0)
