/** Which rows of a long list exist. */
export interface RowRange {
  readonly first: number
  readonly last: number
}

/**
 * Always as many rows as the largest range so far, however the list is scrolled. A row's place in the page is its index
 * modulo that number: the one that leaves above is the one that enters below, changed and not made anew, which is what
 * lets a list of ten thousand scroll as fast as it is drawn.
 */
export function widenRange(
  range: RowRange,
  { size, count }: { readonly size: number; readonly count: number },
): RowRange {
  const most = Math.min(size, count)
  const first = Math.max(0, Math.min(range.first, count - most))
  return { first, last: first + most - 1 }
}
