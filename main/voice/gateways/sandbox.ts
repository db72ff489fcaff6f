import type { Clock, Timer } from '../../kernel/clock.ts'
import { energyOf, FRAME_MS, framesOf, SPEECH_ENERGY } from '../audio.ts'
import type { CallLeg, LegEvents } from '../leg.ts'
import type { SandboxPerson } from '../protocol.ts'
import { PERSON_VOICE, type Tts } from '../speech/speech.ts'

interface SandboxDeps {
  readonly clock: Pick<Clock, 'after'>
  readonly tts: Tts
}

interface Line {
  readonly text: string
  readonly frames: readonly Int16Array[]
}

const RING_AFTER_MS = 300
const BUSY_AFTER_MS = 800
/** How long the person waits after the other side has spoken, and for a silent other side. */
const PAUSE_FRAMES = 700 / FRAME_MS
const PATIENCE_FRAMES = 8_000 / FRAME_MS
/** Limit in case of noise or a very long answer. */
const LONGEST_WAIT_FRAMES = 20_000 / FRAME_MS
const GOODBYE_FRAMES = 1_000 / FRAME_MS
const HANG_UP_FRAMES = 300 / FRAME_MS

/** A simulated person: answers, waits until the agent has spoken, says a line, and hangs up after the last one. */
export function createSandboxLeg(person: SandboxPerson, { clock, tts }: SandboxDeps): CallLeg {
  const { speed, outcome, answerAfterMs } = person
  const broken = new AbortController()
  let timers: Timer[] = []
  let events: LegEvents | undefined
  let lines: Line[] = []
  let speaking: { line: Line; at: number } | undefined
  let prepared: Promise<Line[]> | undefined
  let isAnswered = false
  let isOver = false
  /** Frames since the agent last spoke; null: not yet since our last line. */
  let quietFrames: number | null = null
  let waitedFrames = 0
  let hasSpoken = false
  let framesIn = 0

  const after = (ms: number, act: () => void) =>
    void timers.push(
      clock.after(ms / speed, () => {
        if (!isOver) act()
      }),
    )

  function end(reason: Parameters<LegEvents['onEnded']>[0]): void {
    if (isOver) return
    close()
    events?.onEnded(reason)
  }

  function close(): void {
    isOver = true
    broken.abort()
    for (const timer of timers) timer.cancel()
    timers = []
  }

  async function prepare(): Promise<Line[]> {
    const made: Line[] = []
    for (const text of person.lines) {
      const frames: Int16Array[] = []
      for await (const pcm of tts.say(text, PERSON_VOICE, broken.signal)) frames.push(...framesOf(pcm))
      made.push({ text, frames })
    }
    return made
  }

  function answer(): void {
    if (isAnswered) return
    isAnswered = true
    // An answered call can no longer be declined.
    for (const timer of timers) timer.cancel()
    prepared ??= prepare()
    prepared.then(
      (made) => {
        if (isOver) return
        lines = made
        events?.onConnected()
      },
      () => end('no_media_connection'),
    )
  }

  /** Whether it is this person's turn. */
  function mayTalk(): boolean {
    if (!hasSpoken && person.speaksFirst) return waitedFrames >= PAUSE_FRAMES
    if (quietFrames !== null) return quietFrames >= PAUSE_FRAMES || waitedFrames >= LONGEST_WAIT_FRAMES
    return waitedFrames >= PATIENCE_FRAMES
  }

  function next(): Int16Array | null {
    if (speaking !== undefined) {
      const frame = speaking.line.frames[speaking.at++]
      if (frame !== undefined) return frame
      events?.onCaption(speaking.line.text, speaking.line.frames.length * FRAME_MS)
      speaking = undefined
      hasSpoken = true
      quietFrames = null
      waitedFrames = 0
      return null
    }
    waitedFrames++
    const [line] = lines
    if (line === undefined) {
      // Waits until the goodbye has been played.
      const isQuiet = quietFrames === null || quietFrames >= HANG_UP_FRAMES
      if (isQuiet && waitedFrames >= GOODBYE_FRAMES) end('person_hung_up')
      return null
    }
    if (!mayTalk()) return null
    lines = lines.slice(1)
    speaking = { line, at: 0 }
    return next()
  }

  return {
    speed,
    hasCaptions: true,
    start(given) {
      events = given
      if (outcome === 'busy') return after(BUSY_AFTER_MS, () => end('busy'))
      after(RING_AFTER_MS, () => given.onRinging())
      if (outcome === 'rejected') return after(answerAfterMs, () => end('rejected'))
      // Rings until the caller hangs up.
      if (outcome === 'no_answer') return
      prepared = prepare()
      prepared.catch(() => {})
      after(answerAfterMs, answer)
    },
    prepared: async () => prepared?.catch(() => {}),
    send(frame) {
      if (energyOf(frame) > SPEECH_ENERGY) quietFrames = 0
      else if (quietFrames !== null) quietFrames++
    },
    take() {
      if (isOver) return null
      framesIn++
      return next()
    },
    remoteAnswer() {},
    /** Somebody answers with the simulated phone. */
    remoteState(state) {
      if (state === 'accepted' && !isOver) answer()
    },
    hangUp: close,
    counts: () => ({ framesIn, framesLost: 0 }),
  }
}
