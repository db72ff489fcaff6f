import { resolve } from 'node:path'
import type { VoiceAgent, VoiceAgents, VoiceTurn } from '../../main/capabilities/voice/index.ts'
import type { Clock } from '../../main/kernel/clock.ts'
import { voiceStarter } from '../../main/service/voice.ts'
import { RATE } from '../../main/voice/audio.ts'
import { systemResolve } from '../../main/outbound/outbound.ts'
import { createVoiceHost } from '../../main/voice/host.ts'
import { createVoiceNetwork } from '../../main/voice/network.ts'
import type { Tts } from '../../main/voice/speech/speech.ts'
import type { StartVoice } from '../../main/voice/voice-process.ts'

/** Speaks in a tone instead of words, 60 ms for each letter, and immediately. */
export const beeps: Tts = {
  async *say(text, voice) {
    const pcm = new Int16Array(text.length * 0.06 * RATE)
    const pitch = voice === 'slt' ? 440 : 220
    for (let i = 0; i < pcm.length; i++) pcm[i] = 8_000 * Math.sin((2 * Math.PI * pitch * i) / RATE)
    yield pcm
  },
}

/** How the voice process reaches what is outside. */
type Outside = Omit<Parameters<typeof createVoiceNetwork>[0], 'clock'>

/** The product's voice process inside this one, so that the test's clock drives it. */
export const voiceInProcess =
  (clock: Clock, builtIn: Tts = beeps, outside: Outside = { resolve: systemResolve }): StartVoice =>
  (onMessage, onExit) => {
    const later = (act: () => void) => void setImmediate(act)
    const host = createVoiceHost({
      clock,
      builtIn: { of: () => builtIn },
      network: createVoiceNetwork({ clock, ...outside }),
      send: (message) => later(() => onMessage(message)),
    })
    return {
      send: (message) =>
        later(() => {
          if (message.kind === 'stop') void host.stop().then(() => onExit())
          else host.receive(message)
        }),
      kill: () => onExit(),
    }
  }

/** The voice process itself, from its sources. */
export const testVoiceProcess: StartVoice = voiceStarter({
  voice: resolve(import.meta.dirname, '../../main/voice/voice-program.ts'),
  speech: resolve(import.meta.dirname, '../../main/voice/speech/flite-thread.ts'),
})

interface TestAgents extends VoiceAgents {
  /** What was said to them, in order. */
  readonly turns: VoiceTurn[]
}

/** Agents of the AI room, as calls know them: `agent-1` of every instance, and one of each that is named after it. */
export function testAgents(change: Partial<VoiceAgents> & { readonly agent?: Partial<VoiceAgent> } = {}): TestAgents {
  const turns: VoiceTurn[] = []
  const find = async (_account: string, instance: string, id: string): Promise<VoiceAgent | undefined> =>
    id === `agent-of-${instance}` || id === 'agent-1'
      ? {
          ...{ id, name: 'Ana', provider: 'builtin', greeting: null, systemPrompt: 'Sell flowers.' },
          questions: ['When are you open?', 'Where are you?'],
          ...change.agent,
        }
      : undefined
  return {
    turns,
    find,
    primary: (account, instance) => find(account, instance, 'agent-1'),
    async answer(turn) {
      turns.push(turn)
      return { text: turn.text.endsWith('?') ? `You asked: ${turn.text}` : 'Goodbye.', hangUp: false }
    },
    complete: async () => undefined,
    ...change,
  }
}
