import { energyOf, FRAME, SPEECH_ENERGY } from './audio.ts'

export interface JitterBuffer {
  /** Received audio of any length. */
  add(pcm: Int16Array): void
  /** The next 20 ms; null: the buffer is empty, or still filling. */
  take(): Int16Array | null
}

/** Enough for the jitter of a local network; more would add delay. */
const FILL_FRAMES = 3
/** Above this, silent frames are skipped until the fill level is reached. */
const LONG_FRAMES = 10
/** Above this, any audio is skipped, because a delay of a second is worse. */
const TOO_LONG_FRAMES = 50
/** Limit of audio that is not played yet, for example before a call is answered. The newest is kept. */
const KEPT_FRAMES = 2 * TOO_LONG_FRAMES

/** Smooths irregular arrival of audio, and the drift between two clocks. */
export function createJitterBuffer(): JitterBuffer {
  let frames: Int16Array[] = []
  let rest = new Int16Array(0)
  let isFilling = true

  function shorten(): void {
    if (frames.length > TOO_LONG_FRAMES) frames = frames.slice(-FILL_FRAMES)
    else if (frames.length > LONG_FRAMES) {
      const [first] = frames
      if (first !== undefined && energyOf(first) < SPEECH_ENERGY) frames.shift()
    }
  }

  return {
    add(pcm) {
      const all = new Int16Array(rest.length + pcm.length)
      all.set(rest)
      all.set(pcm, rest.length)
      let at = 0
      for (; at + FRAME <= all.length; at += FRAME) frames.push(all.subarray(at, at + FRAME))
      rest = all.slice(at)
      if (frames.length > KEPT_FRAMES) frames = frames.slice(-KEPT_FRAMES)
    },
    take() {
      if (isFilling && frames.length < FILL_FRAMES) return null
      isFilling = false
      shorten()
      const frame = frames.shift()
      if (frame === undefined) isFilling = true
      return frame ?? null
    },
  }
}
