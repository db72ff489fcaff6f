import type { TranscriptLine } from '../contract/voice.ts'
import { FRAME, FRAME_MS } from './audio.ts'

interface Utterance {
  text: string
  readonly frames: Int16Array[]
  /** Samples of an incomplete frame. */
  rest: Int16Array
  isComplete: boolean
  startMs: number | null
}

/** A sentence that is being generated. */
export interface Speaking {
  /** Audio at 16 kHz. */
  add(pcm: Int16Array): void
  /** The text, if it was not known at the start. */
  setText(text: string): void
  end(): void
}

/** The agent's speech: sentences one after another, returned in frames. */
export interface Mouth {
  begin(text: string): Speaking
  /** The next 20 ms; null: silence. */
  next(atMs: number): Int16Array | null
  /** Stops the current sentence and drops those that wait. */
  interrupt(atMs: number): void
  isQuiet(): boolean
}

/** @param onLine called when a sentence was finished or interrupted. */
export function createMouth(onLine: (line: TranscriptLine) => void): Mouth {
  let queue: Utterance[] = []

  function finish(utterance: Utterance, endMs: number, isBroken: boolean): void {
    const { startMs, text } = utterance
    if (startMs === null || text === '') return
    onLine({ speaker: 'agent', start_ms: startMs, end_ms: endMs, text: isBroken ? `${text} …` : text })
  }

  return {
    begin(text) {
      const utterance: Utterance = {
        ...{ text, frames: [], rest: new Int16Array(0), isComplete: false, startMs: null },
      }
      queue.push(utterance)
      return {
        add(pcm) {
          const all = new Int16Array(utterance.rest.length + pcm.length)
          all.set(utterance.rest)
          all.set(pcm, utterance.rest.length)
          let at = 0
          for (; at + FRAME <= all.length; at += FRAME) utterance.frames.push(all.subarray(at, at + FRAME))
          utterance.rest = all.slice(at)
        },
        setText: (said) => void (utterance.text = said),
        end() {
          if (utterance.rest.length > 0) {
            const last = new Int16Array(FRAME)
            last.set(utterance.rest)
            utterance.frames.push(last)
            utterance.rest = new Int16Array(0)
          }
          utterance.isComplete = true
        },
      }
    },
    next(atMs) {
      for (let first = queue[0]; first !== undefined; first = queue[0]) {
        const frame = first.frames.shift()
        if (frame !== undefined) {
          first.startMs ??= atMs
          if (first.isComplete && first.frames.length === 0) {
            finish(first, atMs + FRAME_MS, false)
            queue.shift()
          }
          return frame
        }
        if (!first.isComplete) return null
        finish(first, atMs, false)
        queue.shift()
      }
      return null
    },
    interrupt(atMs) {
      const [first] = queue
      if (first) finish(first, atMs, true)
      queue = []
    },
    isQuiet: () => queue.length === 0,
  }
}
