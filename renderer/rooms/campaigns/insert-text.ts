/** A text and its selection. */
export interface TextRange {
  readonly text: string
  readonly start: number
  readonly end: number
}

interface Insertion {
  /** Replaces the selection. */
  readonly put?: string
  /** Placed around the selection, or around `example` if it is empty. */
  readonly before?: string
  readonly after?: string
  readonly example?: string
}

/** @returns the changed text, with the example selected or the caret after the insertion. */
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
