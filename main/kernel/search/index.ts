import { yieldToEventLoop } from '../yield-to-event-loop.ts'
import { decide, isRelevant, type Decision } from './decision.ts'
import type { SearchEntry } from './entry.ts'
import { buildPostings, type Postings } from './postings.ts'
import { unitsOf } from './query.ts'
import { confidenceOf, scoresOf } from './scoring.ts'
import { likeness } from './vectors.ts'

export { THRESHOLDS } from './decision.ts'
export type { SearchEntry } from './entry.ts'
export { fold } from './fold.ts'
export { wordsOf } from './query-words.ts'

interface Hit {
  readonly id: string
  /** BM25 over question and answer, or over the text. Only comparable within one search. */
  readonly score: number
  /** 0 to 1: how much query and entry are about each other. */
  readonly confidence: number
}

export interface SearchResult {
  /** Best first. */
  readonly hits: readonly Hit[]
  /** Of the best hit; 0 without one. */
  readonly confidence: number
  /** 0 to 1: how far the next hit with another answer is behind the best one. */
  readonly margin: number
  /** Whether the best hit may be sent as an answer. */
  readonly decision: Decision
}

interface SearchOptions {
  /** Default 5. */
  readonly limit?: number
  /** Of the query. Cosine is fused with BM25 for the entries that have a vector of the same length. */
  readonly vector?: Float32Array | undefined
}

export interface SearchIndex {
  readonly size: number
  search(query: string, options?: SearchOptions): SearchResult
}

/** How many of the best by words, and by vectors, are compared closely. */
const CANDIDATES = 16
/** Passages differ in how often and how densely they have the words; the rest is how many of them they have. */
const BY_SCORE = 0.5

/**
 * Finds the entries that answer a question in Portuguese, Spanish, English or German, also when it is misspelt, without
 * accents or in the words of a chat. BM25 (k1 1.2, b 0.75) over folded stems. Rebuilt when an entry changes.
 */
export function createSearchIndex(entries: readonly SearchEntry[]): SearchIndex {
  const building = buildPostings(entries)
  for (;;) {
    const { done, value } = building.next()
    if (done === true) return searchIn(entries, value)
  }
}

/** The same in steps, so that the event loop is not blocked: 5,000 long answers take 12 seconds. */
export async function buildSearchIndex(entries: readonly SearchEntry[]): Promise<SearchIndex> {
  const building = buildPostings(entries)
  for (;;) {
    const { done, value } = building.next()
    if (done === true) return searchIn(entries, value)
    await yieldToEventLoop()
  }
}

function searchIn(entries: readonly SearchEntry[], postings: Postings): SearchIndex {
  function search(query: string, { limit = 5, vector }: SearchOptions = {}): SearchResult {
    const units = unitsOf(postings, query)
    const { bm25, covered } = scoresOf(postings, units)
    const alike = vector === undefined ? [] : likeness(entries, vector)
    const most = Math.max(limit, CANDIDATES)
    const candidates = [...new Set([...bestOf(bm25, most), ...bestOf(alike, most)])]
    const isPassage = (at: number) => 'text' in (entries[at] ?? {})
    const highest = Math.max(0, ...candidates.filter(isPassage).map((at) => bm25[at] ?? 0))
    const ranked = candidates
      .map((at) => {
        const score = bm25[at] ?? 0
        const covers = confidenceOf(postings, units, covered[at] ?? 0, at)
        const byWords = isPassage(at) ? covers * (1 - BY_SCORE + BY_SCORE * (score / (highest || 1))) : covers
        const byMeaning = alike[at] ?? null
        const confidence = byMeaning === null ? byWords : (byWords + byMeaning) / 2
        return { at, score, confidence }
      })
      .toSorted((a, b) => rank(b) - rank(a))
    const [first] = ranked
    if (first === undefined) return { hits: [], confidence: 0, margin: 0, decision: 'unsure' }
    const second = ranked.find(({ at }) => answerOf(entries[at]) !== answerOf(entries[first.at]))
    const found = { confidence: first.confidence, margin: 1 - (second === undefined ? 0 : rank(second) / rank(first)) }
    const hits = ranked
      .filter(({ confidence }) => vector !== undefined || isRelevant(confidence, first.confidence))
      .slice(0, limit)
      .map(({ at, score, confidence }) => ({ id: entries[at]?.id ?? '', score, confidence }))
    return { hits, ...found, decision: hits.length === 0 ? 'unsure' : decide(found, isPassage(first.at)) }
  }

  return { size: entries.length, search }
}

const rank = ({ confidence }: { readonly confidence: number }): number => confidence

const answerOf = (entry: SearchEntry | undefined): string =>
  entry === undefined ? '' : 'text' in entry ? entry.text : entry.answer

/** Indexes of the greatest values above 0. */
function bestOf(values: ArrayLike<number | null>, limit: number): number[] {
  const found: number[] = []
  for (let at = 0; at < values.length; at++) if ((values[at] ?? 0) > 0) found.push(at)
  return found.toSorted((a, b) => (values[b] ?? 0) - (values[a] ?? 0)).slice(0, limit)
}
