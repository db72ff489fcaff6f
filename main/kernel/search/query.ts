import { everydaySubjects } from './everyday-words.ts'
import type { Postings } from './postings.ts'
import { guessSubjects, wordsOf, type Word } from './query-words.ts'

/** A term that a word of the query is found by. */
interface Alternative {
  readonly term: number
  readonly quality: number
}

/** A word of the query. */
export interface Unit {
  readonly alternatives: readonly Alternative[]
  /** How much it says: rare words say more, question words less. */
  readonly weight: number
  readonly share: number
}

const BY_SUBJECT = 0.85
const BY_PART = 0.6
/** What a question is about is said at its beginning. */
const QUERY_LENGTH = 2_000

/** The words of a query, each once, with everything in the index that they may mean. */
export function unitsOf(postings: Postings, query: string): Unit[] {
  const seen = new Map<string, Word>()
  for (const word of wordsOf(query.slice(0, QUERY_LENGTH)))
    seen.set(word.stem ?? word.subjects.map(({ name }) => name).join(), word)
  return [...seen.values()].map((word) => unitOf(postings, word))
}

function unitOf(postings: Postings, word: Word): Unit {
  const { stem, subjects, share } = withUmlaut(postings, word)
  const exact = stem === null ? undefined : postings.term(stem)
  // A word that is spelt right stands for no other.
  const isKnown = exact !== undefined || subjects.length > 0
  const near = stem === null || isKnown ? [] : postings.stems.near(stem)
  const guessed = stem === null || isKnown ? subjects : guessSubjects(stem)
  const bySubject = guessed.flatMap(({ name, quality }) => {
    const term = postings.term(name)
    return term === undefined ? [] : [{ term, quality: quality * (stem === null ? 1 : BY_SUBJECT) }]
  })
  const byPart = stem === null || exact !== undefined ? [] : partsOf(postings, stem)
  const alternatives = [...(exact === undefined ? near : [{ term: exact, quality: 1 }]), ...bySubject, ...byPart]
  const weight = exact === undefined ? strongest(postings, alternatives) : postings.idf(exact)
  // That nobody wrote `when` says nothing about an entry.
  const unknown = share < 1 ? postings.commonIdf : postings.unknownIdf
  return { alternatives, share, weight: share * (weight ?? unknown) }
}

/** The word that an unknown one is, if `ae`, `oe` and `ue` are umlauts. */
function withUmlaut(postings: Postings, word: Word): Word {
  const { stem, subjects, share } = word
  if (stem === null || subjects.length > 0 || postings.term(stem) !== undefined) return word
  const respelt = postings.respelt(stem)
  if (respelt === undefined) return word
  const names = everydaySubjects().ofStem.get(respelt) ?? []
  return { stem: respelt, subjects: names.map((name) => ({ name, quality: 1 })), share }
}

/** What a compound that is in no entry is made of. */
function partsOf(postings: Postings, stem: string): Alternative[] {
  return postings.parts(stem).flatMap((part) =>
    [part, ...(everydaySubjects().ofStem.get(part) ?? [])].flatMap((name) => {
      const term = postings.term(name)
      return term === undefined ? [] : [{ term, quality: BY_PART }]
    }),
  )
}

/** idf of what the word most likely means. */
function strongest(postings: Postings, alternatives: readonly Alternative[]): number | undefined {
  const [best] = alternatives.toSorted((a, b) => b.quality - a.quality)
  return best === undefined ? undefined : postings.idf(best.term)
}
