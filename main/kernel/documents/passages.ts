import { cleanText, DocumentError, type Block } from './blocks.ts'

/** A part of a document that is long enough to answer something and short enough to be cited. */
export interface Passage {
  readonly text: string
  /** The headings above it, such as `Delivery › Abroad`; null: none. */
  readonly heading: string | null
  /** Where what it does not repeat begins; null where a format has no pages. */
  readonly page: number | null
}

export interface PassageSize {
  /** A passage ends at the end of a sentence near this many words. */
  readonly words: number
  /** How many words of the passage before are repeated, so that no sentence loses its context. */
  readonly overlap: number
}

const SIZE: PassageSize = { words: 200, overlap: 40 }
/** About a million words. */
const PASSAGES_AT_MOST = 5_000
/** With the space after it. A text with more characters than so many words have is not looked at: that takes memory. */
const LONG_WORD = 12
const HEADING_LENGTH = 200

/** Cuts at headings and, within a section, at sentences. @throws DocumentError empty, too_long */
export function cutIntoPassages(blocks: readonly Block[], size: PassageSize = SIZE): Passage[] {
  const passages: Passage[] = []
  for (const { heading, sentences } of sectionsOf(blocks, PASSAGES_AT_MOST * size.words)) {
    passages.push(...cutSection(sentences, size).map((passage) => ({ heading, ...passage })))
    if (passages.length > PASSAGES_AT_MOST) throw new DocumentError('too_long')
  }
  if (passages.length === 0) throw new DocumentError('empty')
  return passages
}

interface Sentence {
  readonly text: string
  readonly words: number
  readonly page: number | null
}

interface Section {
  readonly heading: string | null
  readonly sentences: Sentence[]
}

function sectionsOf(blocks: readonly Block[], wordsAtMost: number): Section[] {
  let [words, characters] = [0, 0]
  const above: string[] = []
  let section: Section = { heading: null, sentences: [] }
  const sections = [section]
  for (const { text: raw, level, page } of blocks) {
    characters += raw.length
    if (characters > wordsAtMost * LONG_WORD) throw new DocumentError('too_long')
    const text = cleanText(raw)
    if (text === '') continue
    if (level === null) {
      for (const sentence of sentencesOf(text)) {
        words += sentence.words
        if (words > wordsAtMost) throw new DocumentError('too_long')
        section.sentences.push({ ...sentence, page })
      }
      continue
    }
    above.length = Math.min(above.length, level - 1)
    above.push(text.slice(0, HEADING_LENGTH))
    section = { heading: above.join(' › ').slice(0, HEADING_LENGTH), sentences: [] }
    sections.push(section)
  }
  return sections.filter(({ sentences }) => sentences.length > 0)
}

const LONGEST_SENTENCE = 80

/** One after another: all words of a long text at once would take many times its memory. */
function* sentencesOf(text: string): Generator<{ text: string; words: number }> {
  for (const sentence of text.split(/(?<=[.!?…:;])\s+(?=[\p{Lu}\p{N}¿¡"“(-])/u)) {
    const words = sentence.split(' ')
    // What has no end, such as a table, is cut anywhere.
    for (let at = 0; at < words.length; at += LONGEST_SENTENCE) {
      const part = words.slice(at, at + LONGEST_SENTENCE)
      yield { text: part.join(' '), words: part.length }
    }
  }
}

function cutSection(sentences: readonly Sentence[], { words: most, overlap }: PassageSize): Omit<Passage, 'heading'>[] {
  const found: Omit<Passage, 'heading'>[] = []
  let from = 0
  let until = 0
  while (until < sentences.length) {
    const firstNew = until
    until = Math.max(take(sentences, from, most), firstNew + 1)
    const part = sentences.slice(from, until)
    found.push({ text: part.map(({ text }) => text).join(' '), page: sentences[firstNew]?.page ?? null })
    from = Math.max(stepBack(sentences, until, overlap), from + 1)
  }
  return found
}

/** Up to which sentence a passage goes; a rest that is too short for a passage of its own is taken as well. */
function take(sentences: readonly Sentence[], from: number, most: number): number {
  let until = from
  let words = 0
  while (until < sentences.length && (words === 0 || words + (sentences[until]?.words ?? 0) <= most)) {
    words += sentences[until++]?.words ?? 0
  }
  const rest = sentences.slice(until, until + most).reduce((sum, sentence) => sum + sentence.words, 0)
  return rest <= most / 5 ? Math.min(until + most, sentences.length) : until
}

function stepBack(sentences: readonly Sentence[], until: number, overlap: number): number {
  let from = until
  let words = 0
  while (from > 0 && words + (sentences[from - 1]?.words ?? 0) <= overlap) words += sentences[--from]?.words ?? 0
  return from
}
