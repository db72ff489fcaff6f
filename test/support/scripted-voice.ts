import type { CallEnd, CallPlan, FromVoice, ToVoice } from '../../main/voice/protocol.ts'
import type { StartVoice } from '../../main/voice/voice-process.ts'

/** A voice process that does only what the test says. Listeners are connected. */
export interface ScriptedVoice {
  readonly start: StartVoice
  /** Calls it was told to place, in order. */
  readonly plans: CallPlan[]
  readonly received: ToVoice[]
  /** Calls that have neither ended nor crashed. */
  open(): CallPlan[]
  answer(plan: CallPlan): void
  /** With no recording. */
  end(plan: CallPlan, end: Partial<CallEnd> & Pick<CallEnd, 'reason'>): void
  say(message: FromVoice): void
  /** The process ends, and with it every call. */
  crash(reason?: string): void
}

/** @param onPlace what it does with a call as soon as it is placed. */
export function scriptedVoice(onPlace: (voice: ScriptedVoice, plan: CallPlan) => void = () => {}): ScriptedVoice {
  let say: (message: FromVoice) => void = () => {}
  let exit: (reason?: string) => void = () => {}
  const over = new Set<string>()
  const voice: ScriptedVoice = {
    plans: [],
    received: [],
    open: () => voice.plans.filter(({ callId }) => !over.has(callId)),
    answer: ({ callId }) => say({ kind: 'state', callId, state: 'in_progress' }),
    end({ callId }, end) {
      over.add(callId)
      const media = { framesIn: 0, framesLost: 0, underruns: 0 }
      say({ kind: 'ended', callId, end: { talkedMs: null, recording: null, media, ...end } })
    },
    say: (message) => say(message),
    crash(reason) {
      for (const { callId } of voice.plans) over.add(callId)
      exit(reason)
    },
    start(onMessage, onExit) {
      say = onMessage
      exit = onExit
      return {
        send(message) {
          voice.received.push(message)
          if (message.kind === 'stop') setImmediate(() => onExit())
          if (message.kind === 'listen') {
            const { requestId } = message
            setImmediate(() => say({ kind: 'listening', requestId, answer: 'v=0' }))
          }
          if (message.kind !== 'place') return
          voice.plans.push(message.plan)
          setImmediate(() => onPlace(voice, message.plan))
        },
        kill: () => onExit(),
      }
    },
  }
  return voice
}
