import type { Postings } from './postings.ts'
import type { Unit } from './query.ts'

const K1 = 1.2
/** An answer that mentions a word is weaker evidence than a question that asks for it. */
const IN_ANSWER = 0.6
/** The rest depends on how much of the question was asked for. */
const BY_QUERY = 0.6

export interface Scores {
  /** BM25 of each entry. */
  readonly bm25: Float64Array
  /** 0 to 1: how much of the query the entry has. */
  readonly covered: Float64Array
}

/** BM25 where a word counts as the best of what it may mean. */
export function scoresOf(postings: Postings, units: readonly Unit[]): Scores {
  const bm25 = new Float64Array(postings.entries)
  const covered = new Float64Array(postings.entries)
  const total = units.reduce((sum, { weight }) => sum + weight, 0)
  const scores = new Float64Array(postings.entries)
  const presences = new Float64Array(postings.entries)
  for (const { alternatives, weight, share } of units) {
    const touched: number[] = []
    for (const { term, quality } of alternatives) {
      const factor = share * quality * postings.idf(term) * (K1 + 1)
      postings.each(term, (entry, frequency, isAsked) => {
        if (presences[entry] === 0) touched.push(entry)
        scores[entry] = Math.max(scores[entry] ?? 0, (factor * frequency) / (K1 + frequency))
        presences[entry] = Math.max(presences[entry] ?? 0, quality * (isAsked ? 1 : IN_ANSWER))
      })
    }
    for (const entry of touched) {
      bm25[entry] = (bm25[entry] ?? 0) + (scores[entry] ?? 0)
      covered[entry] = (covered[entry] ?? 0) + (weight / total) * (presences[entry] ?? 0)
      scores[entry] = 0
      presences[entry] = 0
    }
  }
  return { bm25, covered }
}

/** 0 to 1: how much the words of a query and of an entry are about each other. */
export function confidenceOf(postings: Postings, units: readonly Unit[], covered: number, entry: number): number {
  const known = new Map<number, number>()
  for (const { term, quality } of units.flatMap(({ alternatives }) => alternatives)) {
    known.set(term, Math.max(known.get(term) ?? 0, quality))
  }
  let wanted = 0
  let asked = 0
  for (const terms of postings.asked(entry)) {
    const weight = Math.max(...terms.map(postings.idf))
    wanted += weight
    asked += weight * Math.max(...terms.map((term) => known.get(term) ?? 0))
  }
  return covered * (BY_QUERY + (1 - BY_QUERY) * (wanted === 0 ? 0 : asked / wanted))
}
