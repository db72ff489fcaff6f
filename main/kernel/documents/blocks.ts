/** A paragraph, a list item, a row of a table or a heading, in the order of the document. */
export interface Block {
  readonly text: string
  /** 1 to 6 for headings, 7 for a printed question above its answer, null for text. */
  readonly level: number | null
  /** From 1; null where a format has no pages. */
  readonly page: number | null
  /** Kind of a text block; absent: a paragraph. `header` is the row with the names of the columns. */
  readonly role?: 'item' | 'row' | 'header'
}

export const QUESTION_LEVEL = 7

/** About a million words. More is not looked at, because that takes memory. */
export const CHARACTERS_AT_MOST = 12_000_000

/** What looks like a heading and has nothing below it is text: a signature, a single line with an address. */
export const withoutEmptyHeadings = (blocks: readonly Block[]): Block[] =>
  blocks.map((block, at) => {
    const next = blocks[at + 1]
    const isFollowed = next !== undefined && (next.level === null || next.level > (block.level ?? 0))
    return block.level === null || isFollowed ? block : { ...block, level: null }
  })

/** A document that cannot be used; `reason` says why. */
export class DocumentError extends Error {
  readonly reason: DocumentProblem
  constructor(reason: DocumentProblem) {
    super(reason)
    this.reason = reason
  }
}

export type DocumentProblem = 'encrypted' | 'old_word' | 'scanned' | 'empty' | 'broken' | 'too_long' | 'too_much_memory'

/** Without control characters, and with single spaces. */
export const cleanText = (text: string): string =>
  text
    // Soft hyphens and zero-width characters would split words for a search.
    .replace(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
