/** A paragraph, a list item, a row of a table or a heading, in the order of the document. */
export interface Block {
  readonly text: string
  /** 1 to 6 for headings, null for text. */
  readonly level: number | null
  /** From 1; null where a format has no pages. */
  readonly page: number | null
}

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
