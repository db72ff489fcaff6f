/** How many were done at a time. */
export interface Mark {
  readonly atMs: number
  readonly done: number
}

/** What is remembered of a running campaign while it is watched. */
const SPAN_MS = 5 * 60_000
/** A shorter time says nothing: one send more or less would double the rate. */
const MIN_MS = 20_000

/** Adds what is known now, and forgets what is older than five minutes. */
export function addMark(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  const kept = marks.filter(({ atMs }) => mark.atMs - atMs <= SPAN_MS)
  return kept.at(-1)?.done === mark.done && kept.length > 1 ? [...kept.slice(0, -1), mark] : [...kept, mark]
}

/** Messages an hour over what was watched; undefined while too little is known. */
export function hourlyRate(marks: readonly Mark[]): number | undefined {
  const [first, last] = [marks[0], marks.at(-1)]
  if (first === undefined || last === undefined || last.atMs - first.atMs < MIN_MS) return undefined
  return Math.round(((last.done - first.done) / (last.atMs - first.atMs)) * 3_600_000)
}
