/** How far this machine's clock is off, as receivers see it. */
export interface ClockSkew {
  /** @param date the `Date` header of a response; @param atMs our own time in the middle of the exchange. */
  addSample(host: string, date: string | undefined, atMs: number): void
  /** Median over the last responses, positive when our clock is ahead; undefined until three hosts have answered. */
  medianMs(): number | undefined
  /** Our clock was set: what was seen before says nothing. */
  reset(): void
}

const KEPT = 50
const HOSTS_NEEDED = 3
/** `Date` is cut to whole seconds: on average the true time is half of one later. */
const CUT_MS = 500

/** Receivers reject signatures whose time is 300 s off theirs. Timestamps are never corrected silently; the skew is reported. */
export function createClockSkew(): ClockSkew {
  let seen: { readonly host: string; readonly ms: number }[] = []
  return {
    addSample(host, date, atMs) {
      const theirs = Date.parse(date ?? '')
      if (Number.isNaN(theirs)) return
      seen.push({ host, ms: atMs - (theirs + CUT_MS) })
      if (seen.length > KEPT) seen = seen.slice(-KEPT)
    },
    medianMs() {
      if (new Set(seen.map(({ host }) => host)).size < HOSTS_NEEDED) return undefined
      const sorted = seen.map(({ ms }) => ms).toSorted((a, b) => a - b)
      return sorted[Math.floor(sorted.length / 2)]
    },
    reset: () => void (seen = []),
  }
}
