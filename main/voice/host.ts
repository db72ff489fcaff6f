import type { Clock } from '../kernel/clock.ts'
import { createBrain } from './brains/index.ts'
import type { CallLeg } from './leg.ts'
import { createTrunks } from './gateways/sip/trunks.ts'
import { createWebRtcLeg } from './gateways/webrtc.ts'
import { createSandboxLeg } from './gateways/sandbox.ts'
import { PUBLIC_ONLY, type VoiceNetwork } from './network.ts'
import type { CallPlan, FromVoice, Route, ToVoice } from './protocol.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { startSession, type CallSession } from './session.ts'
import { checkSpeech } from './speech/check.ts'
import type { BuiltInVoice } from './speech/built-in.ts'
import type { Tts } from './speech/speech.ts'

interface HostDeps {
  readonly clock: Clock
  readonly send: (message: FromVoice) => void
  readonly builtIn: BuiltInVoice
  readonly network: VoiceNetwork
}

export interface VoiceHost {
  receive(message: ToVoice): void
  /** Ends every call and resolves when all is written. */
  stop(): Promise<void>
}

type Reply = (reply: { readonly text: string | null; readonly hangUp: boolean }) => void

/** All calls of the voice process. */
export function createVoiceHost({ clock, send, builtIn, network }: HostDeps): VoiceHost {
  const { permits } = network.within(PUBLIC_ONLY)
  const sessions = new Map<string, CallSession>()
  const trunks = createTrunks({ clock, network, onIncoming: (call) => send({ kind: 'incoming', ...call }) })
  const turns = new Map<number, { callId: string; settle: Reply }>()
  let turnIds = 0

  function place(plan: CallPlan): void {
    const { callId } = plan
    const voice = builtIn.of(plan.speech.accountId)
    const answer = (text: string) =>
      new Promise<Parameters<Reply>[0]>((settle) => {
        const turnId = ++turnIds
        turns.set(turnId, { callId, settle })
        send({ kind: 'turn', callId, turnId, text })
      })
    const session = startSession({
      ...{ clock, plan, send, builtIn: voice, answer },
      createBrain: (brainDeps) => createBrain(brainDeps, network.within(plan.speech)),
      leg: legFor(plan.route, voice),
      console: plan.consoleOffer === null ? null : legFor({ kind: 'webrtc', offer: plan.consoleOffer }, voice),
      createRecorder: (onFailed) => recorderOf(plan, onFailed),
    })
    sessions.set(callId, session)
    void session.ended.then(() => {
      sessions.delete(callId)
      for (const [turnId, turn] of turns) {
        if (turn.callId !== callId) continue
        turns.delete(turnId)
        turn.settle({ text: null, hangUp: false })
      }
    })
  }

  /** Connects somebody who hears both sides and is heard by nobody. */
  function listen({ callId, requestId, offer }: ToVoice & { kind: 'listen' }): void {
    const session = sessions.get(callId)
    if (session === undefined) return send({ kind: 'listening', requestId, answer: null })
    const leg = createWebRtcLeg({ offer, mustSend: false, permits })
    let isAnswered = false
    session.addListener(requestId, leg, (answer) => {
      if (!isAnswered) send({ kind: 'listening', requestId, answer })
      isAnswered = true
    })
  }

  function recorderOf({ recordTo, title, isSandbox }: CallPlan, onFailed: (error: unknown) => void): Promise<Recorder> {
    if (recordTo === null) throw new Error('This call is not recorded.')
    return createRecorder({ path: recordTo, title, isSandbox, onFailed })
  }

  function legFor(route: Route, tts: Tts): CallLeg {
    switch (route.kind) {
      case 'sandbox':
        return createSandboxLeg(route.person, { clock, tts })
      case 'webrtc':
        return createWebRtcLeg({ offer: route.offer, mustSend: true, permits })
      case 'sip':
        return trunks.dial(route.trunk, route.number)
      case 'sip_incoming':
        return trunks.answer(route.incomingId)
    }
  }

  return {
    receive(message) {
      switch (message.kind) {
        case 'place':
          return place(message.plan)
        case 'hang_up':
          return sessions.get(message.callId)?.hangUp(message.reason)
        case 'say_goodbye':
          return sessions.get(message.callId)?.sayGoodbye(message.reason)
        case 'remote_answer':
          return sessions.get(message.callId)?.remoteAnswer(message.sdp)
        case 'remote_state':
          return sessions.get(message.callId)?.remoteState(message.state)
        case 'reply': {
          const turn = turns.get(message.turnId)
          turns.delete(message.turnId)
          return turn?.settle(message)
        }
        case 'check_speech': {
          const { requestId } = message
          return void checkSpeech(
            message.speech,
            builtIn.of(message.speech.accountId),
            network.within(message.speech),
          ).then((result) => send({ kind: 'checked', requestId, result }))
        }
        case 'listen':
          return listen(message)
        case 'stop_listening':
          return sessions.get(message.callId)?.removeListener(message.requestId)
        case 'check_trunk': {
          const { requestId } = message
          return void trunks.check(message.trunk).then((result) => send({ kind: 'checked', requestId, result }))
        }
        case 'register':
          return trunks.register(message.instanceId, message.trunk)
        case 'refuse_incoming':
          return trunks.refuse(message.incomingId)
        case 'stop':
          return
      }
    },
    async stop() {
      const all = [...sessions.values()]
      for (const session of all) session.hangUp('app_closed')
      await Promise.all(all.map(({ ended }) => ended))
      trunks.close()
      await network.close()
    },
  }
}
