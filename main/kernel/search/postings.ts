import { partsOfCompound, withUmlauts } from './compounds.ts'
import type { SearchEntry } from './entry.ts'
import { everydaySubjects } from './everyday-words.ts'
import { createPostingLists, type PostingLists } from './posting-lists.ts'
import { wordsOf, type Word } from './query-words.ts'
import { createVocabulary, type Vocabulary } from './vocabulary.ts'

export interface Postings {
  readonly entries: number
  readonly stems: Vocabulary
  /**
   * By number of the term; stems first, then subjects.
   * @param take gets how often the term is in an entry, by field and its length (what BM25 saturates), and whether it is
   * in the question, or in a text that has no question
   */
  readonly each: PostingLists['each']
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
  readonly words: readonly KnownWord[]
  readonly weight: number
  readonly isAsked: boolean
}

/** A word of the index, once for all its places. */
interface KnownWord extends Word {
  /** What it can be found by; undefined until it is first needed. */
  terms: readonly number[] | undefined
}

/** Characters of text between two turns of the event loop: about ten milliseconds. */
const TURN = 16_384
/** A word that no entry before had takes as long as this many characters: its misspellings are prepared. */
const NEW_WORD = 32

/** Yields after each portion of text. */
export function* buildPostings(entries: readonly SearchEntry[]): Generator<void, Postings> {
  const stems = createVocabulary()
  const numbers = new Map<string, number>()
  const lists = createPostingLists()
  const asked: (readonly number[])[][] = []

  // The first time, they are built: as long as a turn.
  everydaySubjects()
  yield

  let read = 0
  const isTurnOver = (entry: SearchEntry): boolean => {
    read += lengthOf(entry)
    if (read < TURN) return false
    read = 0
    return true
  }

  const stemNumbers: number[] = []
  function number(name: string, isStem: boolean): number {
    const known = numbers.get(name)
    if (known !== undefined) return known
    const made = lists.addTerm()
    numbers.set(name, made)
    if (isStem) {
      stemNumbers[stems.add(name)] = made
      read += NEW_WORD
    }
    return made
  }

  const wordsIn = createKnownWords((stem) => number(stem, true))
  const fieldsOf: Field[][] = []
  const lengths = createLengths()
  for (const entry of entries) {
    const fields = toFields(entry, wordsIn)
    fieldsOf.push(fields)
    for (const field of fields) lengths.add(field)
    if (isTurnOver(entry)) yield
  }

  const isKnown = (stem: string) => numbers.has(stem) || everydaySubjects().ofStem.has(stem)
  const parts = (stem: string) => partsOfCompound(stem, isKnown)
  const respelt = (stem: string) => withUmlauts(stem, isKnown)

  /** With those of the words that a compound is made of. */
  function termsOf({ stem, subjects }: Word): readonly number[] {
    const terms = subjects.map(({ name }) => number(name, false))
    if (stem === null) return terms
    const ofParts = [...parts(stem), respelt(stem) ?? []]
      .flat()
      .flatMap((part) => [
        number(part, true),
        ...(everydaySubjects().ofStem.get(part) ?? []).map((name) => number(name, false)),
      ])
    return [...new Set([number(stem, true), ...terms, ...ofParts])]
  }

  // By number of the term; those of one entry at a time.
  const weights: number[] = []
  const isAskedFor: boolean[] = []
  for (const [entry, fields] of fieldsOf.entries()) {
    const found: number[] = []
    const askedWords: (readonly number[])[] = []
    for (const { name, words, weight, isAsked } of fields) {
      const norm = 1 - LENGTH_SHARE + (LENGTH_SHARE * words.length) / (lengths.average(name) || 1)
      for (const word of words) {
        const terms = (word.terms ??= termsOf(word))
        if (name === 'question' || name === 'heading') askedWords.push(terms)
        for (const term of terms) {
          const before = weights[term] ?? 0
          if (before === 0) found.push(term)
          weights[term] = before + weight / norm
          isAskedFor[term] = isAsked || isAskedFor[term] === true
        }
      }
    }
    for (const term of found) {
      lists.add(term, entry, weights[term] ?? 0, isAskedFor[term] === true)
      weights[term] = 0
      isAskedFor[term] = false
    }
    asked.push(askedWords)
    const built = entries[entry]
    if (built !== undefined && isTurnOver(built)) yield
  }

  const sorted = yield* lists.sort()
  const idf = (found: number) => Math.log(1 + (entries.length - found + 0.5) / (found + 0.5))
  return {
    entries: entries.length,
    stems: {
      ...stems,
      get size() {
        return stems.size
      },
      near: (stem) => stems.near(stem).map(({ term, quality }) => ({ term: stemNumbers[term] ?? 0, quality })),
    },
    each: sorted.each,
    term: (name) => numbers.get(name),
    idf: (term) => idf(sorted.count(term)),
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

/**
 * The words of a text, those that are alike as one object: as one for each place they would be most of the memory.
 * @param numberOf a stem
 */
function createKnownWords(numberOf: (stem: string) => number): (text: string) => KnownWord[] {
  const ofStem: KnownWord[][] = []
  const ofPhrase = new Map<string, KnownWord[]>()

  function alikeTo({ stem, subjects }: Word): KnownWord[] {
    if (stem !== null) return (ofStem[numberOf(stem)] ??= [])
    const name = subjects.map((subject) => subject.name).join(' ')
    const known = ofPhrase.get(name) ?? []
    ofPhrase.set(name, known)
    return known
  }

  function keep(word: Word): KnownWord {
    const alike = alikeTo(word)
    const kept = alike.find((other) => isSame(other, word))
    if (kept !== undefined) return kept
    const { stem, subjects, share } = word
    const made = { stem, subjects: subjects.length === 0 ? NONE : subjects, share, terms: undefined }
    alike.push(made)
    return made
  }

  return (text) => wordsOf(text).map(keep)
}

const NONE: Word['subjects'] = []

/** Forms of a word have one stem, and may be about different things. */
const isSame = (one: Word, other: Word): boolean =>
  one.stem === other.stem &&
  one.subjects.length === other.subjects.length &&
  one.subjects.every(({ name }, at) => name === other.subjects[at]?.name)

function toFields(entry: SearchEntry, wordsIn: (text: string) => KnownWord[]): Field[] {
  if ('text' in entry) {
    const { text, headings = [] } = entry
    const outer = headings.slice(0, -1).join('\n')
    return [
      { name: 'text', words: wordsIn(text), weight: 1, isAsked: true },
      { name: 'outer', words: wordsIn(outer), weight: OUTER_WEIGHT, isAsked: true },
      { name: 'heading', words: wordsIn(headings.at(-1) ?? ''), weight: 1, isAsked: true },
    ]
  }
  return [
    { name: 'question', words: wordsIn(entry.question), weight: 1, isAsked: true },
    { name: 'answer', words: wordsIn(entry.answer), weight: ANSWER_WEIGHT, isAsked: false },
  ]
}

/** How many words the fields of each name have on average. */
function createLengths() {
  const sums = Object.fromEntries(FIELDS.map((name) => [name, { words: 0, count: 0 }]))
  return {
    add({ name, words }: Field): void {
      const sum = sums[name]
      if (sum === undefined) return
      sum.words += words.length
      sum.count++
    },
    average: (name: Field['name']): number => (sums[name]?.words ?? 0) / (sums[name]?.count || 1),
  }
}
