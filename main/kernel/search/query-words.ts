import { GREETINGS, QUESTION_WORDS, SHORT_FORMS, STOP_WORDS, everydaySubjects } from './everyday-words.ts'
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
  const written = fold(text)
    .replace(GREETINGS, ' ')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => SHORT_FORMS[word] ?? word)
  const found = signsIn(text)
  for (let at = 0; at < written.length;) {
    const phrase = phraseAt(written, at)
    if (phrase !== undefined) {
      found.push(subjectWord(phrase.subjects))
      at = phrase.end
      continue
    }
    const word = written[at++] ?? ''
    if (!STOP_WORDS.has(word)) found.push(...wordOf(word))
  }
  return found
}

const subjectWord = (names: readonly string[]): Word => ({
  ...{ stem: null, share: 1 },
  subjects: names.map((name) => ({ name, quality: 1 })),
})

/** Prices and times of day, which have no word that says so: `€ 40`, `9:00`. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/[$£€]/, '#price'],
  [/\b\d{1,2}:\d{2}\b/, '#hours'],
]

const signsIn = (text: string): Word[] =>
  SIGNS.flatMap(([sign, subject]) => (sign.test(text) ? [subjectWord([subject])] : []))

/** A phrase that begins here, and where it ends; words that mean nothing may be between: `leave my car`. */
function phraseAt(written: readonly string[], at: number): { subjects: readonly string[]; end: number } | undefined {
  for (const { words, subjects } of everydaySubjects().phrases.get(written[at] ?? '') ?? []) {
    const end = endOfPhrase(written, at, words)
    if (end !== undefined) return { subjects, end }
  }
  return undefined
}

function endOfPhrase(written: readonly string[], from: number, words: readonly string[]): number | undefined {
  let at = from
  for (const word of words) {
    if (written[at] !== word && at > from && STOP_WORDS.has(written[at] ?? '')) at++
    if (written[at] !== word) return undefined
    at++
  }
  return at
}

/** Shorter stems are those of many words: `cada` and `cadela`. */
const SHORTEST_FORM = 4

function wordOf(word: string): Word[] {
  if (word.length === 1 && !/\d/.test(word)) return []
  const root = stem(word)
  const names =
    everydaySubjects().ofWord.get(word) ??
    (root.length < SHORTEST_FORM ? [] : everydaySubjects().ofStem.get(root)) ??
    []
  const subjects = names.map((name) => ({ name, quality: 1 }))
  return [{ stem: root, subjects, share: QUESTION_WORDS.has(root) ? QUESTION_SHARE : 1 }]
}

const SHORTEST_GUESS = 4
let everyday: { readonly vocabulary: Vocabulary; readonly stems: readonly string[] } | undefined

/** The subjects of a word that is in no list, by the everyday word it may be a misspelling of. */
export function guessSubjects(unknown: string): Word['subjects'] {
  if (unknown.length < SHORTEST_GUESS || everydaySubjects().ofStem.has(unknown)) return []
  everyday ??= everydayVocabulary()
  const [nearest] = everyday.vocabulary.near(unknown)
  if (nearest === undefined || nearest.quality < 0.8) return []
  const names = everydaySubjects().ofStem.get(everyday.stems[nearest.term] ?? '') ?? []
  return names.map((name) => ({ name, quality: nearest.quality }))
}

function everydayVocabulary() {
  const vocabulary = createVocabulary()
  const stems = [...everydaySubjects().ofStem.keys()]
  for (const root of stems) vocabulary.add(root)
  return { vocabulary, stems }
}
