/** The rendered rows of a long list. */
export interface RowRange {
  readonly first: number
  readonly last: number
}

/**
 * Keeps the number of rows at the largest range so far, however the list is scrolled. A row's key is its index modulo that
 * number: the row that leaves at the top is reused at the bottom instead of recreated, so ten thousand rows scroll smoothly.
 */
export function widenRange(
  range: RowRange,
  { size, count }: { readonly size: number; readonly count: number },
): RowRange {
  const most = Math.min(size, count)
  const first = Math.max(0, Math.min(range.first, count - most))
  return { first, last: first + most - 1 }
}
