import type { TranscriptLine } from '../../main/contract/voice.ts'
import { systemClock } from '../../main/kernel/clock.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import { systemResolve } from '../../main/outbound/outbound.ts'
import { createVoiceNetwork } from '../../main/voice/network.ts'
import { energyOf, FRAME, FRAME_MS, SPEECH_ENERGY } from '../../main/voice/audio.ts'
import { createBrain } from '../../main/voice/brains/index.ts'
import { createMouth } from '../../main/voice/mouth.ts'
import type { SpeechServices } from '../../main/voice/protocol.ts'
import { beeps } from '../support/voice.ts'

const LOUD = Int16Array.from({ length: FRAME }, (_, i) => 8_000 * Math.sin(i / 4))
const QUIET = new Int16Array(FRAME)
const network = createVoiceNetwork({ clock: systemClock, resolve: systemResolve })

export const NO_SERVICES: SpeechServices = {
  ...{ brain: 'script', sttUrl: null, sttModel: null, ttsUrl: null, ttsModel: null, ttsVoice: null },
  ...{ realtimeUrl: null, realtimeVoice: null, apiKey: null, accountId: 'account' as AccountId },
  // Test servers are on loopback.
  trustedRanges: ['127.0.0.0/8'],
}

/** A brain in a call without a network: time passes as frames are said and heard. */
export function talkingTo(
  speech: Partial<SpeechServices>,
  answer: (text: string) => Promise<{ text: string | null; hangUp: boolean }> = async (text) => ({
    text: `You said ${text}`,
    hangUp: false,
  }),
) {
  const lines: TranscriptLine[] = []
  const failures: unknown[] = []
  const mouth = createMouth((line) => lines.push(line))
  let atMs = 0
  let hasHungUp = false
  const brain = createBrain(
    {
      clock: systemClock,
      agent: { name: 'Ana', greeting: 'Hello, this is Ana of the flower shop.', instructions: 'Sell flowers.' },
      speech: { ...NO_SERVICES, ...speech },
      announcement: null,
      mouth,
      builtIn: beeps,
      hasCaptions: false,
      answer,
      onPersonLine: (line) => lines.push(line),
      nowMs: () => atMs,
      hangUpWhenQuiet: () => void (hasHungUp = true),
      onFailed: (error) => failures.push(error),
    },
    network.within({ trustedRanges: speech.trustedRanges ?? NO_SERVICES.trustedRanges }),
  )

  /** 20 ms. @returns whether the agent is heard. */
  function step(isLoud: boolean): boolean {
    const said = mouth.next(atMs)
    brain.hear(isLoud ? LOUD : QUIET, atMs)
    atMs += FRAME_MS
    return said !== null && energyOf(said) > SPEECH_ENERGY
  }

  const call = {
    brain,
    lines,
    failures,
    mouth,
    step,
    hasHungUp: () => hasHungUp,
    person(ms: number) {
      for (let at = 0; at < ms; at += FRAME_MS) step(true)
    },
    silence(ms: number) {
      let heard = 0
      for (let at = 0; at < ms; at += FRAME_MS) if (step(false)) heard++
      return heard * FRAME_MS
    },
    /** Is silent until the agent is heard. */
    heard: () => call.until(() => step(false)),
    /** Time passes outside as well, until the condition holds. */
    async until(isDone: () => boolean): Promise<void> {
      for (let turns = 0; !isDone(); turns++) {
        if (turns > 2_000)
          throw new Error(`It did not happen: ${JSON.stringify({ lines, failures: failures.map(String) })}`)
        await systemClock.sleep(2)
      }
    },
  }
  return call
}
