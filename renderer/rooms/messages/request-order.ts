/** Detects answers that arrive out of order: an answer to a request that is older than the shown one is outdated. */
export function createRequestOrder(): { begin(): number; isLatest(asked: number): boolean } {
  let last = 0
  let shown = 0
  return {
    begin: () => ++last,
    /** Whether the answer to this request may be shown. If so, it counts as shown from then on. */
    isLatest(asked) {
      if (asked < shown) return false
      shown = asked
      return true
    },
  }
}
