/** What the layout of plain text shows: headings, items of lists and printed questions. */

const HEADING_LENGTH = 80
const HEADING_WORDS = 10
const QUESTION_LENGTH = 200

/** `- dogs`, `• dogs`, `2. dogs`, `b) dogs`. */
export const isItem = (line: string): boolean => /^(?:[-*+•·–▪◦]|\d{1,3}[.)]|[a-z]\))\s+\S/.test(line)

export const withoutBullet = (line: string): string => line.replace(/^(?:[-*+•·–▪◦]|\d{1,3}[.)]|[a-z]\))\s+/, '')

const LABEL = /^(?:q|p|f|question|pregunta|pergunta|frage) ?\d{0,3}[:.)]\s+/i

/** The question, if the line is one and nothing else: `Do you ship abroad?`, `P: ¿Hacen envíos?`. */
export function printedQuestion(line: string): string | null {
  const text = line.slice(0, QUESTION_LENGTH + 1).trim()
  if (text.length > QUESTION_LENGTH) return null
  const isLabelled = LABEL.test(text)
  const question = text.replace(LABEL, '')
  if (isItem(question) || !(isLabelled || question.endsWith('?'))) return null
  // Two sentences are a text that ends with a question.
  return /[.!?:] /.test(question) ? null : question
}

/**
 * A heading of a paragraph of plain text: a line that is underlined or in capitals, or a short one on its own.
 * @param isFirst the paragraph begins the text, where its title is.
 */
export function headingIn(
  lines: readonly string[],
  at: number,
  isFirst: boolean,
): { readonly text: string; readonly level: number } | null {
  const line = lines[at] ?? ''
  const next = lines[at + 1] ?? ''
  if (!isShort(line) || (isItem(line) && !/^\d/.test(line))) return null
  if (/^={3,}$/.test(next)) return { text: line, level: 1 }
  if (/^[-~_*]{3,}$/.test(next)) return { text: line, level: 2 }
  const isTitle = isFirst && at === 0
  if (isInCapitals(line)) return { text: line, level: isTitle ? 1 : 2 }
  if (lines.length > 1 || !isLabel(line)) return null
  return { text: line.replace(/:$/, ''), level: isTitle ? 1 : 3 }
}

function isShort(line: string): boolean {
  return line.length <= HEADING_LENGTH && line.split(/\s+/).length <= HEADING_WORDS && /\p{L}{2}/u.test(line)
}

const isInCapitals = (line: string): boolean =>
  !/\p{Ll}/u.test(line) && /\p{Lu}{3}/u.test(line) && !/[.!?,;]$/.test(line)

/** Not a sentence, a price or a phone number. */
const isLabel = (line: string): boolean =>
  /^(?:\d{1,2}(?:\.\d{1,2})?[.)]? )?[^\d.!?;@€$£]+$/u.test(line) &&
  /^(?:\d{1,2}(?:\.\d{1,2})?[.)]? )?\p{Lu}/u.test(line) &&
  !line.endsWith(',')
