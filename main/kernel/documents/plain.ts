import { decodeText } from '../text-encoding.ts'
import { CHARACTERS_AT_MOST, DocumentError, QUESTION_LEVEL, withoutEmptyHeadings, type Block } from './blocks.ts'
import { headingIn, isItem, printedQuestion, withoutBullet } from './text-layout.ts'

/**
 * Paragraphs of a text file, with the headings, lists and printed questions that its layout shows.
 * @throws DocumentError broken, for bytes that are no text; too_long
 */
export async function blocksOfText(bytes: Uint8Array): Promise<Block[]> {
  const blocks: Block[] = []
  for (const paragraph of paragraphsOf(await textOf(bytes))) addParagraph(blocks, paragraph)
  return withoutEmptyHeadings(blocks)
}

function paragraphsOf(text: string): string[][] {
  const paragraphs: string[][] = [[]]
  for (const line of text.split(/\r?\n|\r/)) {
    if (line.trim() === '') paragraphs.push([])
    else paragraphs.at(-1)?.push(line.trim())
  }
  return paragraphs.filter((lines) => lines.length > 0)
}

function addParagraph(blocks: Block[], lines: readonly string[]): void {
  const isFirst = blocks.length === 0
  let prose: string[] = []
  const end = () => {
    if (prose.length > 0) blocks.push(textBlock(prose.join(' ')))
    prose = []
  }
  for (const [at, line] of lines.entries()) {
    const heading = headingIn(lines, at, isFirst)
    const question = printedQuestion(line)
    if (isRule(line)) end()
    else if (heading !== null) {
      end()
      blocks.push({ ...heading, page: null })
    } else if (question !== null) {
      end()
      blocks.push({ text: question, level: QUESTION_LEVEL, page: null })
    } else if (isItem(line)) {
      end()
      blocks.push({ text: withoutBullet(line), level: null, page: null, role: 'item' })
    } else if (prose.length === 0 && blocks.at(-1)?.role === 'item' && at > 0 && /^\p{Ll}/u.test(line)) {
      // An item of several lines.
      const item = blocks.pop()
      if (item !== undefined) blocks.push({ ...item, text: `${item.text} ${line}` })
    } else {
      const before = prose.at(-1)
      // Prose is broken where the line is full; short lines, as of opening hours, are lines of their own.
      if (before !== undefined && before.length < FULL_LINE && !/^\p{Ll}/u.test(line)) end()
      prose.push(line)
    }
  }
  end()
}

const FULL_LINE = 50
const isRule = (line: string): boolean => /^[-=_*~]{3,}$/.test(line)
const textBlock = (text: string): Block => ({ text, level: null, page: null })

/** The same with the headings, tables and lists of Markdown; marks are shown to nobody and therefore stripped. */
export async function blocksOfMarkdown(bytes: Uint8Array): Promise<Block[]> {
  const blocks: Block[] = []
  let paragraph: string[] = []
  let isCode = false
  const end = () => {
    if (paragraph.length > 0) blocks.push(...blocksOfMarked(paragraph))
    paragraph = []
  }
  for (const line of (await textOf(bytes)).split(/\r?\n/)) {
    if (/^\s*(```|~~~)/.test(line)) {
      isCode = !isCode
      continue
    }
    const heading = isCode ? null : /^ {0,3}(#{1,6})\s+(\S.*)$/.exec(line)
    const underline = isCode ? null : /^ {0,3}(=+|-+)\s*$/.exec(line)
    if (heading !== null) {
      end()
      blocks.push({ text: withoutMarks(withoutClosing(heading[2] ?? '')), level: heading[1]?.length ?? 1, page: null })
    } else if (underline !== null && paragraph.length === 1) {
      blocks.push({ text: withoutMarks(paragraph[0] ?? ''), level: underline[1]?.startsWith('=') ? 1 : 2, page: null })
      paragraph = []
    } else if (isUnderHeader(line)) {
      end()
      const last = blocks.at(-1)
      if (last?.role === 'row') blocks[blocks.length - 1] = { ...last, role: 'header' }
    } else if (line.trim() === '' || /^\s*([-*_] ?){3,}$/.test(line)) end()
    else {
      // Items and rows of a table are lines of their own.
      if (isItem(line.trim()) || /^\s*\|/.test(line)) end()
      paragraph.push(line.trim())
    }
  }
  end()
  return blocks
}

/** `| --- | :-: |` */
const isUnderHeader = (line: string): boolean => /^[\s:|-]+$/.test(line) && line.includes('|')

/** A paragraph, an item or a row. A question that is printed in bold, or on a line of its own, is above its answer. */
function blocksOfMarked(lines: readonly string[]): Block[] {
  const [first = '', ...rest] = lines
  const whole = withoutMarks(lines.join(' '))
  if (first.startsWith('|')) return [{ ...textBlock(whole), role: 'row' }]
  if (isItem(first)) return [{ ...textBlock(whole), role: 'item' }]
  const bold = /^(?:\*\*|__)([^*_]+)(?:\*\*|__)(.*)$/.exec(first)
  const after = [bold?.[2]?.trim() ?? '', ...rest].filter((line) => line !== '').join(' ')
  const question = printedQuestion(bold === null ? withoutMarks(first) : (bold[1] ?? '').trim())
  if (question !== null) {
    const answer = withoutMarks(bold === null ? rest.join(' ') : after)
    return [{ text: question, level: QUESTION_LEVEL, page: null }, ...(answer === '' ? [] : [textBlock(answer)])]
  }
  return [textBlock(whole)]
}

/** A heading can end in as many number signs as it likes: `# Title #`. */
function withoutClosing(heading: string): string {
  const text = heading.trimEnd()
  let end = text.length
  while (text[end - 1] === '#') end--
  return text.slice(0, end).trimEnd()
}

function withoutMarks(text: string): string {
  return text
    .replace(/!?\[([^[\]]*)\]\((?:[^()]|\([^()]*\))*\)/g, '$1')
    .replace(/^([-*+]|\d+[.)]|>)\s+/, '')
    .replace(/(\*\*|__|[*_`~]{1,2})(?=\S)(.+?)\1/g, '$2')
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')
    .replace(/^\||\|$/g, '')
    .replaceAll('|', ' · ')
}

async function textOf(bytes: Uint8Array): Promise<string> {
  const parts: string[] = []

  async function* source() {
    yield bytes
  }
  for await (const part of decodeText(source())) parts.push(part)
  const text = parts.join('')
  if (text.length > CHARACTERS_AT_MOST) throw new DocumentError('too_long')
  if (text.includes('\0')) throw new DocumentError('broken')
  return text
}
