import { cleanText, DocumentError, QUESTION_LEVEL, type Block } from './blocks.ts'

/** To be raised when documents would get other passages: those that were read before are then read again. */
export const PASSAGES_VERSION = 2

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

const SIZE: PassageSize = { words: 120, overlap: 30 }
/** Of documents that have too many passages otherwise. */
const LARGE_SIZE: PassageSize = { words: 200, overlap: 40 }
const PASSAGES_AT_MOST = 5_000
const WORDS_AT_MOST = PASSAGES_AT_MOST * LARGE_SIZE.words
/** With the space after it. A text with more characters than so many words have is not looked at: that takes memory. */
const LONG_WORD = 12
const HEADING_LENGTH = 200

/**
 * Cuts at headings and, within a section, at sentences, items and rows. A part of a table begins with the header, a
 * part of a list with the sentence before the list. @throws DocumentError empty, too_long
 */
export function cutIntoPassages(blocks: readonly Block[], size?: PassageSize): Passage[] {
  const sections = sectionsOf(blocks, size === undefined ? WORDS_AT_MOST : PASSAGES_AT_MOST * size.words)
  const passages = cutSections(sections, size ?? SIZE) ?? cutSections(sections, size ?? LARGE_SIZE)
  if (passages === null) throw new DocumentError('too_long')
  if (passages.length === 0) throw new DocumentError('empty')
  return passages
}

/** null: they are too many. */
function cutSections(sections: readonly Section[], size: PassageSize): Passage[] | null {
  const passages: Passage[] = []
  for (const { heading, sentences } of sections) {
    passages.push(...cutSection(sentences, size).map((passage) => ({ heading, ...passage })))
    if (passages.length > PASSAGES_AT_MOST) return null
  }
  return passages
}

interface Sentence {
  readonly text: string
  readonly words: number
  readonly page: number | null
  /** Begins a line of its own: a paragraph, an item or a row. */
  readonly isNewLine: boolean
  /** The header of the table, or the sentence before the list, that this one means nothing without. */
  readonly lead: number | null
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
  let lead: number | null = null
  for (const { text: raw, level, page, role } of blocks) {
    characters += raw.length
    if (characters > wordsAtMost * LONG_WORD) throw new DocumentError('too_long')
    const cleaned = cleanText(raw)
    if (cleaned === '') continue
    const isAnswer = above.length === QUESTION_LEVEL && section.sentences.length === 0
    const text = isAnswer && level === null ? cleaned.replace(ANSWER_LABEL, '') : cleaned
    if (level === null) {
      const isLed = role === 'item' || role === 'row'
      for (const [at, sentence] of sentencesOf(text, role !== undefined)) {
        words += sentence.words
        if (words > wordsAtMost) throw new DocumentError('too_long')
        section.sentences.push({ ...sentence, page, isNewLine: at === 0, lead: isLed ? lead : null })
      }
      if (!isLed) lead = isLeadIn(text, role) ? section.sentences.length - 1 : null
      continue
    }
    above.length = Math.min(above.length, level - 1)
    above[level - 1] = text.slice(0, HEADING_LENGTH)
    section = { heading: pathOf(above), sentences: [] }
    lead = null
    sections.push(section)
  }
  return sections.filter(({ sentences }) => sentences.length > 0)
}

/** `A: Yes.` */
const ANSWER_LABEL = /^(?:a|r|answer|respuesta|resposta|antwort) ?\d{0,3}[:.)] (?=\S)/i

const isLeadIn = (text: string, role: Block['role']): boolean => role === 'header' || text.endsWith(':')

/** The nearest headings say most, so the outer ones are left out of a path that is too long. */
function pathOf(above: readonly (string | undefined)[]): string {
  const known = above.filter((heading) => heading !== undefined)
  let path = known.pop() ?? ''
  for (const heading of known.reverse()) {
    const longer = `${heading} › ${path}`
    if (longer.length > HEADING_LENGTH) break
    path = longer
  }
  return path
}

const LONGEST_SENTENCE = 80

/** One after another: all words of a long text at once would take many times its memory. */
function* sentencesOf(text: string, isWhole: boolean): Generator<[number, { text: string; words: number }]> {
  let at = 0
  for (const sentence of isWhole ? [text] : text.split(/(?<=[.!?…:;])\s+(?=[\p{Lu}\p{N}¿¡"“(-])/u)) {
    let part: string[] = []
    let words = 0
    // A text without the end of a sentence is cut at any word.
    for (const word of sentence.split(' ').flatMap(cutWord)) {
      const more = countOf(word)
      if (part.length > 0 && words + more > LONGEST_SENTENCE) {
        yield [at++, { text: part.join(' '), words }]
        part = []
        words = 0
      }
      part.push(word)
      words += more
    }
    yield [at++, { text: part.join(' '), words }]
  }
}

/** Longer ones are no words: addresses, codes, and what is written in a language without spaces. */
const LONGEST_WORD = 40
const PIECE = LONGEST_SENTENCE * LONG_WORD

/** A text without spaces makes as many words as one of its length with spaces. */
const countOf = (word: string): number => (word.length <= LONGEST_WORD ? 1 : Math.ceil(word.length / LONG_WORD))

/** A whole book may be one word. A character of two units is not cut. */
function cutWord(word: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < word.length;) {
    const end = from + PIECE
    const until = /[\ud800-\udbff]/.test(word.charAt(end - 1)) ? end - 1 : end
    pieces.push(word.slice(from, until))
    from = until
  }
  return pieces
}

function cutSection(sentences: readonly Sentence[], { words: most, overlap }: PassageSize): Omit<Passage, 'heading'>[] {
  const found: Omit<Passage, 'heading'>[] = []
  let from = 0
  let until = 0
  while (until < sentences.length) {
    const firstNew = until
    until = endOfLine(sentences, firstNew, Math.max(take(sentences, from, most), firstNew + 1), most)
    found.push({ text: textOf(sentences, from, until), page: sentences[firstNew]?.page ?? null })
    // A paragraph has its context in itself.
    const isCut = sentences[until]?.isNewLine === false
    from = isCut ? Math.max(stepBack(sentences, until, overlap), from + 1) : until
  }
  return found
}

/** The end of the last paragraph that fits, unless little would be left. */
function endOfLine(sentences: readonly Sentence[], firstNew: number, until: number, most: number): number {
  let end = until
  while (end > firstNew && end < sentences.length && sentences[end]?.isNewLine === false) end--
  const words = sentences.slice(firstNew, end).reduce((sum, sentence) => sum + sentence.words, 0)
  return words < most / 3 ? until : end
}

function textOf(sentences: readonly Sentence[], from: number, until: number): string {
  const lead = sentences[from]?.lead ?? null
  const led = lead !== null && lead < from ? `${sentences[lead]?.text ?? ''}\n` : ''
  const parts = sentences.slice(from, until).map(({ text, isNewLine }, at) => {
    const separator = at === 0 ? '' : isNewLine ? '\n' : ' '
    return `${separator}${text}`
  })
  return `${led}${parts.join('')}`
}

/** Up to which sentence a passage goes; a rest that is too short for a passage of its own is taken as well. */
function take(sentences: readonly Sentence[], from: number, most: number): number {
  let until = from
  let words = sentences[sentences[from]?.lead ?? -1]?.words ?? 0
  while (until < sentences.length && (until === from || words + (sentences[until]?.words ?? 0) <= most)) {
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
