/** Audio in the voice process: 16 kHz, mono, 16 bits, in frames of 20 ms. */
export const RATE = 16_000
export const FRAME_MS = 20
export const FRAME = (RATE * FRAME_MS) / 1_000

export const SILENCE = new Int16Array(FRAME)

/** Splits audio into frames; the last one is padded with silence. */
export function* framesOf(pcm: Int16Array): Generator<Int16Array> {
  for (let at = 0; at < pcm.length; at += FRAME) {
    if (at + FRAME <= pcm.length) {
      yield pcm.subarray(at, at + FRAME)
      continue
    }
    const last = new Int16Array(FRAME)
    last.set(pcm.subarray(at))
    yield last
  }
}

/** Root mean square, 0 to 1. */
export function energyOf(pcm: Int16Array): number {
  let sum = 0
  for (const sample of pcm) sum += sample * sample
  return Math.sqrt(sum / Math.max(1, pcm.length)) / 32_768
}

/** The loudest sample, 0 to 255. */
export function peakOf(pcm: Int16Array): number {
  let peak = 0
  for (const sample of pcm) peak = Math.max(peak, Math.abs(sample))
  return Math.min(255, Math.round((peak / 32_768) * 255))
}

/** Louder audio is speech. Room noise over Opus stays below a tenth of it. */
export const SPEECH_ENERGY = 0.01

export function mix(one: Int16Array, other: Int16Array): Int16Array {
  const mixed = new Int16Array(FRAME)
  for (let i = 0; i < FRAME; i++) mixed[i] = Math.max(-32_768, Math.min(32_767, (one[i] ?? 0) + (other[i] ?? 0)))
  return mixed
}

/** Linear interpolation, which is enough for speech between 8 and 48 kHz. Keeps its position between two chunks. */
export function createResampler(from: number, to: number): (pcm: Int16Array) => Int16Array {
  if (from === to) return (pcm) => pcm
  const step = from / to
  let last = 0
  /** In input samples from the first one; -1 is the last sample of the previous chunk. */
  let position = 0
  return (pcm) => {
    const made: number[] = []
    for (; position < pcm.length - 1 || (position < 0 && pcm.length > 0); position += step) {
      const at = Math.floor(position)
      const before = at < 0 ? last : (pcm[at] ?? 0)
      const after = pcm[at + 1] ?? 0
      made.push(Math.round(before + (after - before) * (position - at)))
    }
    position -= pcm.length
    last = pcm.at(-1) ?? last
    return Int16Array.from(made)
  }
}
