/** Number of sent messages at a time. */
export interface Mark {
  readonly atMs: number
  readonly done: number
}

/** Samples of a running campaign while it is on screen. */
const SPAN_MS = 5 * 60_000
/** With a shorter time, a single send would double the rate. */
const MIN_MS = 20_000

/** Adds the current count, and drops samples older than five minutes. */
export function addMark(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  const kept = marks.filter(({ atMs }) => mark.atMs - atMs <= SPAN_MS)
  return kept.at(-1)?.done === mark.done && kept.length > 1 ? [...kept.slice(0, -1), mark] : [...kept, mark]
}

/** Messages per hour during the samples; undefined while too little is known. */
export function hourlyRate(marks: readonly Mark[]): number | undefined {
  const [first, last] = [marks[0], marks.at(-1)]
  if (first === undefined || last === undefined || last.atMs - first.atMs < MIN_MS) return undefined
  return Math.round(((last.done - first.done) / (last.atMs - first.atMs)) * 3_600_000)
}
