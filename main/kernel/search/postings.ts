import type { SearchEntry } from './entry.ts'
import { wordsOf, type Word } from './query-words.ts'
import { createVocabulary, type Vocabulary } from './vocabulary.ts'

interface Posting {
  readonly entry: number
  /** How often the term is there, by field and its length: what BM25 saturates. */
  readonly weight: number
  /** Whether it is in the question, or in a text that has no question. */
  readonly isAsked: boolean
}

export interface Postings {
  readonly entries: number
  readonly stems: Vocabulary
  /** By number of the term; stems first, then subjects. */
  of(term: number): readonly Posting[]
  /** Number of the term of a stem or of a subject such as `#hours`. */
  term(name: string): number | undefined
  idf(term: number): number
  /** idf of a word that no entry has. */
  readonly unknownIdf: number
  /** The words of the question, each with the terms it can be found by. */
  asked(entry: number): readonly (readonly number[])[]
}

/** Whatever is not asked for, only mentioned in the answer. */
const ANSWER_WEIGHT = 0.4
const LENGTH_SHARE = 0.75

interface Field {
  readonly words: readonly Word[]
  readonly weight: number
  readonly isAsked: boolean
}

/** Characters of text after which the builder lets others go on: about ten milliseconds. */
const TURN = 16_384

/** Yields whenever it has worked for a while. */
export function* buildPostings(entries: readonly SearchEntry[]): Generator<void, Postings> {
  const stems = createVocabulary()
  const numbers = new Map<string, number>()
  const lists: Posting[][] = []
  const asked: number[][][] = []

  let read = 0
  const isTurnOver = (entry: SearchEntry): boolean => {
    read += lengthOf(entry)
    if (read < TURN) return false
    read = 0
    return true
  }

  const fieldsOf: Field[][] = []
  for (const entry of entries) {
    fieldsOf.push(toFields(entry))
    if (isTurnOver(entry)) yield
  }
  const averages = averageLengths(fieldsOf)

  function number(name: string, isStem: boolean): number {
    const known = numbers.get(name)
    if (known !== undefined) return known
    const made = lists.push([]) - 1
    numbers.set(name, made)
    if (isStem) stemNumbers[stems.add(name)] = made
    return made
  }
  const stemNumbers: number[] = []

  for (const [entry, fields] of fieldsOf.entries()) {
    const weights = new Map<number, { weight: number; isAsked: boolean }>()
    const askedWords: number[][] = []
    fields.forEach(({ words, weight, isAsked }, field) => {
      const norm = 1 - LENGTH_SHARE + (LENGTH_SHARE * words.length) / (averages[field] || 1)
      for (const word of words) {
        const terms = termsOf(word, number)
        if (isAsked) askedWords.push(terms)
        for (const term of terms) {
          const before = weights.get(term)
          weights.set(term, {
            weight: (before?.weight ?? 0) + weight / norm,
            isAsked: isAsked || before?.isAsked === true,
          })
        }
      }
    })
    for (const [term, found] of weights) lists[term]?.push({ entry, ...found })
    asked.push(askedWords)
    const built = entries[entry]
    if (built !== undefined && isTurnOver(built)) yield
  }

  const idf = (found: number) => Math.log(1 + (entries.length - found + 0.5) / (found + 0.5))
  const idfs = lists.map(({ length }) => idf(length))
  return {
    entries: entries.length,
    stems: {
      ...stems,
      get size() {
        return stems.size
      },
      near: (stem) => stems.near(stem).map(({ term, quality }) => ({ term: stemNumbers[term] ?? 0, quality })),
    },
    of: (term) => lists[term] ?? [],
    term: (name) => numbers.get(name),
    idf: (term) => idfs[term] ?? 0,
    unknownIdf: idf(Math.min(1, entries.length)),
    asked: (entry) => asked[entry] ?? [],
  }
}

function termsOf({ stem, subjects }: Word, number: (name: string, isStem: boolean) => number): number[] {
  const terms = subjects.map(({ name }) => number(name, false))
  return stem === null ? terms : [number(stem, true), ...terms]
}

const lengthOf = (entry: SearchEntry): number =>
  'text' in entry ? entry.text.length : entry.question.length + entry.answer.length

function toFields(entry: SearchEntry): Field[] {
  if ('text' in entry) return [{ words: wordsOf(entry.text), weight: 1, isAsked: true }]
  return [
    { words: wordsOf(entry.question), weight: 1, isAsked: true },
    { words: wordsOf(entry.answer), weight: ANSWER_WEIGHT, isAsked: false },
  ]
}

function averageLengths(fieldsOf: readonly (readonly Field[])[]): number[] {
  return [0, 1].map((at) => {
    const lengths = fieldsOf.flatMap((fields) => fields[at]?.words.length ?? [])
    return lengths.reduce((sum, length) => sum + length, 0) / (lengths.length || 1)
  })
}
