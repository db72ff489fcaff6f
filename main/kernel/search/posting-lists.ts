/** The postings of all terms, by term. */
export interface PostingLists {
  /** How many entries have the term. */
  count(term: number): number
  each(term: number, take: (entry: number, weight: number, isAsked: boolean) => void): void
}

/** Made and sorted in one turn of the event loop: about a millisecond. */
const PORTION = 16_384

interface Portion {
  readonly terms: Uint32Array
  readonly columns: Columns
}

interface Columns {
  readonly entries: Uint32Array
  readonly weights: Float64Array
  readonly asked: Uint8Array
}

/**
 * Collects postings and sorts them by term. There are a million of them: as objects they would take five times the memory,
 * and the garbage collector would look through them again and again.
 */
export function createPostingLists() {
  const portions: Portion[] = []
  const counts: number[] = []
  let size = 0

  return {
    /** @returns the number of a new term. */
    addTerm: (): number => counts.push(0) - 1,
    add(term: number, entry: number, weight: number, isAsked: boolean): void {
      const at = size++ % PORTION
      if (at === 0) portions.push({ terms: new Uint32Array(PORTION), columns: columnsOf(PORTION) })
      const portion = portions.at(-1)
      if (portion === undefined) return
      portion.terms[at] = term
      set(portion.columns, at, entry, weight, isAsked ? 1 : 0)
      counts[term] = (counts[term] ?? 0) + 1
    },
    /** Yields after each portion. */
    *sort(): Generator<void, PostingLists> {
      const starts = startsOf(counts)
      const next = starts.slice()
      const sorted = columnsOf(size)
      for (const [number, { terms, columns }] of portions.entries()) {
        const { entries, weights, asked } = columns
        const filled = Math.min(PORTION, size - number * PORTION)
        for (let at = 0; at < filled; at++) {
          const term = terms[at] ?? 0
          const to = next[term] ?? 0
          next[term] = to + 1
          set(sorted, to, entries[at] ?? 0, weights[at] ?? 0, asked[at] ?? 0)
        }
        yield
      }
      portions.length = 0
      return {
        count: (term) => counts[term] ?? 0,
        each(term, take) {
          for (let at = starts[term] ?? 0; at < (starts[term + 1] ?? 0); at++)
            take(sorted.entries[at] ?? 0, sorted.weights[at] ?? 0, sorted.asked[at] === 1)
        },
      }
    },
  }
}

const columnsOf = (length: number): Columns => ({
  entries: new Uint32Array(length),
  weights: new Float64Array(length),
  asked: new Uint8Array(length),
})

function set({ entries, weights, asked }: Columns, at: number, entry: number, weight: number, isAsked: number): void {
  entries[at] = entry
  weights[at] = weight
  asked[at] = isAsked
}

/** Where the postings of each term begin, and at last where all end. */
function startsOf(counts: readonly number[]): Uint32Array {
  const starts = new Uint32Array(counts.length + 1)
  for (const [term, count] of counts.entries()) starts[term + 1] = (starts[term] ?? 0) + count
  return starts
}
