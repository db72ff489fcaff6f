/** A part of a recording, in milliseconds. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** Sound below this share of the maximum level is background noise. */
const QUIET = 0.03
/** Shorter pauses are normal between words and are not skipped. */
const SHORTEST_MS = 1_000
/** Kept at both ends of a silence, so that no word is cut off. */
const MARGIN_MS = 200

interface Peaks {
  readonly duration_ms: number
  readonly agent: readonly number[]
  readonly person: readonly number[]
}

/** The spans in which nobody speaks for a second or longer, without the margins. */
export function silentSpans({ duration_ms: durationMs, agent, person }: Peaks): readonly Span[] {
  const count = agent.length
  const spans: Span[] = []
  const msOf = (index: number) => (index / count) * durationMs
  for (let at = 0; at < count;) {
    if (!isQuiet(at)) {
      at++
      continue
    }
    const from = at
    while (at < count && isQuiet(at)) at++
    if (msOf(at) - msOf(from) < SHORTEST_MS) continue
    // At the start and the end of the recording, no margin is needed.
    const span = {
      fromMs: from === 0 ? 0 : msOf(from) + MARGIN_MS,
      toMs: at === count ? durationMs : msOf(at) - MARGIN_MS,
    }
    spans.push(span)
  }
  return spans

  function isQuiet(index: number): boolean {
    return (agent[index] ?? 0) < QUIET && (person[index] ?? 0) < QUIET
  }
}

/** Where playback continues from a position within a silence; undefined if somebody speaks or will speak very soon. */
export const endOfSilence = (spans: readonly Span[], atMs: number): number | undefined =>
  spans.find(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs - MARGIN_MS / 2)?.toMs
