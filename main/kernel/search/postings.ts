import { partsOfCompound, withUmlauts } from './compounds.ts'
import type { SearchEntry } from './entry.ts'
import { everydaySubjects } from './everyday-words.ts'
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
  /** The stems of the words that a compound is made of. */
  parts(stem: string): readonly string[]
  /** The stem with umlauts, if it is known. */
  respelt(stem: string): string | undefined
  /** idf of a word that no entry has. */
  readonly unknownIdf: number
  /** idf of a word that every entry has. */
  readonly commonIdf: number
  /** The words of the question or the nearest heading, each with the terms it can be found by. */
  asked(entry: number): readonly (readonly number[])[]
}

/** Words that only occur in the answer, not in the question. */
const ANSWER_WEIGHT = 0.4
/** The name of a document and its chapters, which many passages have in common. */
const OUTER_WEIGHT = 0.5
const LENGTH_SHARE = 0.75

const FIELDS = ['question', 'answer', 'text', 'outer', 'heading'] as const

interface Field {
  readonly name: (typeof FIELDS)[number]
  readonly words: readonly Word[]
  readonly weight: number
  readonly isAsked: boolean
}

/** Characters of text between two turns of the event loop: about ten milliseconds. */
const TURN = 16_384
/** A word that no entry before had takes as long as this many characters: its misspellings are prepared. */
const NEW_WORD = 32

/** Yields after each portion of text. */
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
  const known = new Set<string>()
  for (const entry of entries) {
    const fields = toFields(entry)
    fieldsOf.push(fields)
    for (const { words } of fields) for (const { stem } of words) if (stem !== null) known.add(stem)
    if (isTurnOver(entry)) yield
  }
  const averages = averageLengths(fieldsOf)

  const isKnown = (stem: string) => known.has(stem) || everydaySubjects().ofStem.has(stem)
  const parts = (stem: string) => partsOfCompound(stem, isKnown)
  const respelt = (stem: string) => withUmlauts(stem, isKnown)
  const others = new Map<string, readonly string[]>()
  function othersOf(stem: string): readonly string[] {
    const found = others.get(stem) ?? [...parts(stem), respelt(stem) ?? []].flat()
    others.set(stem, found)
    return found
  }

  /** With those of the words that a compound is made of. */
  function termsOf({ stem, subjects }: Word): number[] {
    const terms = subjects.map(({ name }) => number(name, false))
    if (stem === null) return terms
    const ofParts = othersOf(stem).flatMap((part) => [
      number(part, true),
      ...(everydaySubjects().ofStem.get(part) ?? []).map((name) => number(name, false)),
    ])
    return [...new Set([number(stem, true), ...terms, ...ofParts])]
  }

  function number(name: string, isStem: boolean): number {
    const known = numbers.get(name)
    if (known !== undefined) return known
    const made = lists.push([]) - 1
    numbers.set(name, made)
    if (isStem) {
      stemNumbers[stems.add(name)] = made
      read += NEW_WORD
    }
    return made
  }
  const stemNumbers: number[] = []

  for (const [entry, fields] of fieldsOf.entries()) {
    const weights = new Map<number, { weight: number; isAsked: boolean }>()
    const askedWords: number[][] = []
    for (const { name, words, weight, isAsked } of fields) {
      const norm = 1 - LENGTH_SHARE + (LENGTH_SHARE * words.length) / (averages[name] || 1)
      for (const word of words) {
        const terms = termsOf(word)
        if (name === 'question' || name === 'heading') askedWords.push(terms)
        for (const term of terms) {
          const before = weights.get(term)
          weights.set(term, {
            weight: (before?.weight ?? 0) + weight / norm,
            isAsked: isAsked || before?.isAsked === true,
          })
        }
      }
    }
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
    ...{ parts, respelt },
    unknownIdf: idf(Math.min(1, entries.length)),
    commonIdf: idf(entries.length),
    asked: (entry) => asked[entry] ?? [],
  }
}

const lengthOf = (entry: SearchEntry): number =>
  'text' in entry
    ? entry.text.length + (entry.headings?.join('').length ?? 0)
    : entry.question.length + entry.answer.length

function toFields(entry: SearchEntry): Field[] {
  if ('text' in entry) {
    const { text, headings = [] } = entry
    const outer = headings.slice(0, -1).join('\n')
    return [
      { name: 'text', words: wordsOf(text), weight: 1, isAsked: true },
      { name: 'outer', words: wordsOf(outer), weight: OUTER_WEIGHT, isAsked: true },
      { name: 'heading', words: wordsOf(headings.at(-1) ?? ''), weight: 1, isAsked: true },
    ]
  }
  return [
    { name: 'question', words: wordsOf(entry.question), weight: 1, isAsked: true },
    { name: 'answer', words: wordsOf(entry.answer), weight: ANSWER_WEIGHT, isAsked: false },
  ]
}

function averageLengths(fieldsOf: readonly (readonly Field[])[]): Readonly<Record<Field['name'], number>> {
  const sums = Object.fromEntries(FIELDS.map((name) => [name, { words: 0, count: 0 }]))
  for (const { name, words } of fieldsOf.flat()) {
    const sum = sums[name]
    if (sum === undefined) continue
    sum.words += words.length
    sum.count++
  }
  const average = (name: Field['name']) => (sums[name]?.words ?? 0) / (sums[name]?.count || 1)
  return Object.fromEntries(FIELDS.map((name) => [name, average(name)])) as Record<Field['name'], number>
}
