interface Piece {
  readonly kind: 'text' | 'code' | 'strong'
  readonly text: string
}

export interface Block {
  readonly kind: 'paragraph' | 'list'
  readonly items: readonly (readonly Piece[])[]
}

/** The little Markdown that descriptions use: paragraphs, lists, `code` and **strong**. */
export function blocksOf(text: string): Block[] {
  return text
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const lines = part.trim().split('\n')
      return lines.every((line) => /^\s*- /.test(line))
        ? { kind: 'list', items: lines.map((line) => piecesOf(line.replace(/^\s*- /, ''))) }
        : { kind: 'paragraph', items: [piecesOf(lines.join(' '))] }
    })
}

function piecesOf(text: string): Piece[] {
  return text
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .filter((part) => part !== '')
    .map((part) => {
      if (part.startsWith('`') && part.endsWith('`')) return { kind: 'code', text: part.slice(1, -1) }
      if (part.startsWith('**') && part.endsWith('**'))
        return { kind: 'strong', text: part.slice(2, -2).replaceAll('`', '') }
      return { kind: 'text', text: part }
    })
}
