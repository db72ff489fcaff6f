interface Piece {
  readonly kind: 'text' | 'code' | 'strong' | 'emphasis'
  readonly text: string
}

export interface Block {
  readonly kind: 'paragraph' | 'list' | 'numbers' | 'code' | 'table'
  /** Of a table the cells, row by row. */
  readonly items: readonly (readonly Piece[])[]
  /** Of a table; its first row is the head. */
  readonly columns?: number
}

const FENCE = /^```[^\n]*\n([\s\S]*?)\n?```\s*$/
const ITEM = /^\s*(?:[-*]|(\d+)\.) +/

/** The Markdown that descriptions use: paragraphs, lists, code, **strong**, *emphasis* and links, whose text is shown. */
export function blocksOf(text: string): Block[] {
  return text.split(/(^```[\s\S]*?^```\s*$)/m).flatMap((part): Block[] => {
    const [, code] = FENCE.exec(part) ?? []
    return code === undefined ? part.split(/\n{2,}/).flatMap(proseOf) : [codeOf(code)]
  })
}

/** The same as one line without any marks, for a title. */
export const plainText = (text: string): string =>
  blocksOf(text)
    .flatMap(({ items }) => items.map((pieces) => pieces.map((piece) => piece.text).join('')))
    .join(' ')

const codeOf = (code: string): Block => ({ kind: 'code', items: [[{ kind: 'code', text: code }]] })

/** A list may follow its paragraph without an empty line, and an item may go on in the next line. */
function proseOf(part: string): Block[] {
  const blocks: { kind: Block['kind']; lines: string[] }[] = []
  for (const line of part.split('\n').filter((one) => one.trim() !== '')) {
    const marker = ITEM.exec(line)
    const last = blocks.at(-1)
    if (line.trimStart().startsWith('|')) {
      if (last?.kind === 'table') last.lines.push(line.trim())
      else blocks.push({ kind: 'table', lines: [line.trim()] })
      continue
    }
    if (marker === null) {
      if (last === undefined) blocks.push({ kind: 'paragraph', lines: [line.trim()] })
      else last.lines.push(`${last.lines.pop() ?? ''} ${line.trim()}`)
      continue
    }
    const kind = marker[1] === undefined ? 'list' : 'numbers'
    const words = line.slice(marker[0].length).trim()
    if (last?.kind === kind) last.lines.push(words)
    else blocks.push({ kind, lines: [words] })
  }
  return blocks.map(({ kind, lines }) => (kind === 'table' ? tableOf(lines) : { kind, items: lines.map(piecesOf) }))
}

function tableOf(lines: readonly string[]): Block {
  const rows = lines
    .filter((line) => !/^[|\s:-]+$/.test(line))
    .map((line) =>
      line
        .replace(/^\||\|$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => piecesOf(cell.trim().replaceAll('\\|', '|'))),
    )
  return { kind: 'table', items: rows.flat(), columns: rows[0]?.length ?? 1 }
}

function piecesOf(text: string): Piece[] {
  return text
    .split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*|\[[^\]]+\]\([^)]+\))/)
    .filter((part) => part !== '')
    .map((part): Piece => {
      if (part.startsWith('`') && part.endsWith('`')) return { kind: 'code', text: part.slice(1, -1) }
      if (part.startsWith('**') && part.endsWith('**'))
        return { kind: 'strong', text: part.slice(2, -2).replaceAll('`', '') }
      if (/^\*[^*]+\*$/.test(part)) return { kind: 'emphasis', text: part.slice(1, -1).replaceAll('`', '') }
      const [, label] = /^\[([^\]]+)\]\([^)]+\)$/.exec(part) ?? []
      return { kind: 'text', text: label?.replaceAll('`', '') ?? part }
    })
}
