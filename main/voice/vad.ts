import { energyOf, FRAME, FRAME_MS, SPEECH_ENERGY } from './audio.ts'

interface Utterance {
  readonly pcm: Int16Array
  readonly startMs: number
  readonly endMs: number
}

export interface VoiceActivity {
  /** @returns `began` in the frame in which speech is detected, and the utterance in the frame after its end. */
  hear(frame: Int16Array, atMs: number): 'began' | Utterance | null
}

const BEGIN_FRAMES = 3
/** Longer pauses delay every answer; shorter ones interrupt people in the middle of a sentence. */
const END_FRAMES = 300 / FRAME_MS
const LONGEST_FRAMES = 30_000 / FRAME_MS
/** Audio that is kept from before speech was detected. */
const LEAD_FRAMES = 200 / FRAME_MS
/** Speech is this much louder than the noise. */
const ABOVE_NOISE = 3
const NOISE_FOLLOWS = 0.02

/** Detects speech by its loudness. */
export function createVoiceActivity(): VoiceActivity {
  let noise = SPEECH_ENERGY / ABOVE_NOISE
  let recent: Int16Array[] = []
  let spoken: Int16Array[] | null = null
  let loud = 0
  let quiet = 0
  let startMs = 0

  return {
    hear(frame, atMs) {
      const energy = energyOf(frame)
      const isLoud = energy > Math.max(SPEECH_ENERGY, noise * ABOVE_NOISE)
      if (!isLoud && spoken === null) noise += (energy - noise) * NOISE_FOLLOWS
      if (spoken === null) {
        recent = [...recent, frame].slice(-LEAD_FRAMES)
        loud = isLoud ? loud + 1 : 0
        if (loud < BEGIN_FRAMES) return null
        spoken = recent
        startMs = atMs - (BEGIN_FRAMES - 1) * FRAME_MS
        quiet = 0
        return 'began'
      }
      spoken.push(frame)
      quiet = isLoud ? 0 : quiet + 1
      if (quiet < END_FRAMES && spoken.length < LONGEST_FRAMES) return null
      const utterance = { pcm: join(spoken), startMs, endMs: atMs - (quiet - 1) * FRAME_MS }
      spoken = null
      recent = []
      loud = 0
      return utterance
    },
  }
}

function join(frames: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(frames.length * FRAME)
  for (const [i, frame] of frames.entries()) all.set(frame, i * FRAME)
  return all
}
