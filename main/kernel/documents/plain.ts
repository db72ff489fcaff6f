import { decodeText } from '../text-encoding.ts'
import { DocumentError, type Block } from './blocks.ts'

/** Paragraphs of a text file; a blank line ends one. @throws DocumentError broken, for bytes that are no text */
export async function blocksOfText(bytes: Uint8Array): Promise<Block[]> {
  const text = await textOf(bytes)
  return text.split(/\r?\n[ \t]*\r?\n/).map((paragraph) => ({ text: paragraph, level: null, page: null }))
}

/** The same with the headings of Markdown, which is shown to nobody and therefore only stripped. */
export async function blocksOfMarkdown(bytes: Uint8Array): Promise<Block[]> {
  const blocks: Block[] = []
  let paragraph: string[] = []
  let isCode = false
  const end = () => {
    if (paragraph.length > 0) blocks.push({ text: withoutMarks(paragraph.join(' ')), level: null, page: null })
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
    } else if (line.trim() === '' || /^\s*([-*_] ?){3,}$/.test(line) || /^[\s:|-]+$/.test(line)) end()
    else {
      // Items and rows of a table are lines of their own.
      if (/^\s*([-*+]|\d+[.)]|\|)\s/.test(line)) end()
      paragraph.push(line.trim())
    }
  }
  end()
  return blocks
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
  if (text.includes('\0')) throw new DocumentError('broken')
  return text
}
