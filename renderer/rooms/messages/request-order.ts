/** Tells answers that overtook each other apart: what was asked for earlier than what is shown is old. */
export function createRequestOrder(): { begin(): number; isLatest(asked: number): boolean } {
  let last = 0
  let shown = 0
  return {
    begin: () => ++last,
    /** Whether the answer to this question may be shown; then it is taken for shown. */
    isLatest(asked) {
      if (asked < shown) return false
      shown = asked
      return true
    },
  }
}
