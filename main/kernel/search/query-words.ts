import { PHRASES, QUESTION_WORDS, SHORT_FORMS, STOP_WORDS, SUBJECTS } from './everyday-words.ts'
import { fold } from './fold.ts'
import { stem } from './stem.ts'
import { createVocabulary, type Vocabulary } from './vocabulary.ts'

/** A word that means something, as the index knows it. */
export interface Word {
  /** null: only a phrase's subject is known, such as `#price` of "how much". */
  readonly stem: string | null
  /** What it is about, with how sure that is: `#hours` of `horario`, less sure of `orairo`. */
  readonly subjects: readonly { readonly name: string; readonly quality: number }[]
  /** How much it says, apart from how rare it is. */
  readonly share: number
}

const QUESTION_SHARE = 0.45

/** The words of a text in order, without those that mean nothing for a search. */
export function wordsOf(text: string): Word[] {
  const phrased = PHRASES.reduce((rest, [pattern, by]) => rest.replace(pattern, by), fold(text))
  const expanded = phrased.split(/\s+/).map((word) => SHORT_FORMS[word] ?? word)
  return expanded.filter((word) => word !== '' && !STOP_WORDS.has(word)).flatMap(wordOf)
}

function wordOf(word: string): Word[] {
  if (word.startsWith('#')) return [{ stem: null, subjects: [{ name: word, quality: 1 }], share: 1 }]
  if (word.length === 1 && !/\d/.test(word)) return []
  const root = stem(word)
  const subjects = (SUBJECTS.get(root) ?? []).map((name) => ({ name, quality: 1 }))
  return [{ stem: root, subjects, share: QUESTION_WORDS.has(root) ? QUESTION_SHARE : 1 }]
}

const SHORTEST_GUESS = 4
let everyday: { readonly vocabulary: Vocabulary; readonly stems: readonly string[] } | undefined

/** The subjects of a word that is in no list, by the everyday word it may be a misspelling of. */
export function guessSubjects(unknown: string): Word['subjects'] {
  if (unknown.length < SHORTEST_GUESS || SUBJECTS.has(unknown)) return []
  everyday ??= everydayVocabulary()
  const [nearest] = everyday.vocabulary.near(unknown)
  if (nearest === undefined || nearest.quality < 0.8) return []
  const names = SUBJECTS.get(everyday.stems[nearest.term] ?? '') ?? []
  return names.map((name) => ({ name, quality: nearest.quality }))
}

function everydayVocabulary() {
  const vocabulary = createVocabulary()
  const stems = [...SUBJECTS.keys()]
  for (const root of stems) vocabulary.add(root)
  return { vocabulary, stems }
}
