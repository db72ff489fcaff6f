import { FRAME_MS, peakOf } from './audio.ts'

const SPANS_AT_MOST = 1_000

/** Collects the waveform of one side during the recording. When there are too many spans, pairs are merged. */
export function createPeaks() {
  let spans: number[] = []
  let framesPerSpan = 1
  let frames = 0
  return {
    add(pcm: Int16Array): void {
      const at = Math.floor(frames++ / framesPerSpan)
      if (at >= SPANS_AT_MOST) {
        spans = Array.from({ length: SPANS_AT_MOST / 2 }, (_, i) => Math.max(spans[2 * i] ?? 0, spans[2 * i + 1] ?? 0))
        framesPerSpan *= 2
        frames--
        return this.add(pcm)
      }
      spans[at] = Math.max(spans[at] ?? 0, peakOf(pcm))
    },
    bytes: () => Uint8Array.from(spans),
    durationMs: () => frames * FRAME_MS,
  }
}

/**
 * The waveforms of both sides, the agent's first. Both have the same number of spans, because they were fed together.
 */
export function joinPeaks(agent: Uint8Array, person: Uint8Array): Uint8Array {
  const joined = new Uint8Array(agent.length + person.length)
  joined.set(agent)
  joined.set(person, agent.length)
  return joined
}
