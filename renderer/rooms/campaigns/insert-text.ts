/** A text and what is selected in it. */
export interface TextRange {
  readonly text: string
  readonly start: number
  readonly end: number
}

interface Insertion {
  /** Replaces what is selected. */
  readonly put?: string
  /** Stand around what is selected, or around `example` if nothing is. */
  readonly before?: string
  readonly after?: string
  readonly example?: string
}

/** @returns the text with the insertion, and the selection after it: the example, or the place behind what was put. */
export function wrapSelection(
  { text, start, end }: TextRange,
  { put, before = '', after = '', example = '' }: Insertion,
): TextRange {
  const [head, chosen, tail] = [text.slice(0, start), text.slice(start, end), text.slice(end)]
  if (put !== undefined) {
    const at = start + put.length
    return { text: head + put + tail, start: at, end: at }
  }
  const inner = chosen === '' ? example : chosen
  const from = start + before.length
  return { text: head + before + inner + after + tail, start: from, end: from + inner.length }
}
