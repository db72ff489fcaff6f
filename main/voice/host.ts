import type { EndReason } from '../contract/voice.ts'
import type { Clock } from '../kernel/clock.ts'
import { createBrain } from './brains/index.ts'
import { errorScope, inErrorScope, type ErrorScope } from './error-scope.ts'
import type { CallLeg } from './leg.ts'
import { createTrunks } from './gateways/sip/trunks.ts'
import { createWebRtcLeg } from './gateways/webrtc.ts'
import { createSandboxLeg } from './gateways/sandbox.ts'
import { PUBLIC_ONLY, type VoiceNetwork } from './network.ts'
import type { CallPlan, ControlResult, ErrorTrace, FromVoice, Route, ToVoice } from './protocol.ts'
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
  /**
   * Handles an uncaught error by ending the call, check or trunk connection that it belongs to.
   * @returns false if it belongs to none, or ending it threw too, so that the state of the process is unknown.
   */
  failed(error: unknown): boolean
  /** Ends every call and resolves when everything is stored. */
  stop(reason?: EndReason): Promise<void>
}

type Reply = (reply: { readonly text: string | null; readonly hangUp: boolean }) => void

/** All calls of the voice process. */
export function createVoiceHost({ clock, send, builtIn, network }: HostDeps): VoiceHost {
  const { permits } = network.within(PUBLIC_ONLY)
  const sessions = new Map<string, CallSession>()
  const trunks = createTrunks({ clock, network, onIncoming: (call) => send({ kind: 'incoming', ...call }) })
  const turns = new Map<number, { callId: string; settle: Reply }>()
  const reported = new WeakMap<ErrorScope, number>()
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

  /** Connects a listener, who hears both sides and is not heard. */
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

  async function control({ callId, requestId, control: wanted }: ToVoice & { kind: 'control' }): Promise<void> {
    const result: ControlResult = (await sessions.get(callId)?.control(wanted)) ?? { ok: false, why: 'not_running' }
    send({ kind: 'controlled', requestId, result })
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

  function failCall(callId: string): void {
    const session = sessions.get(callId)
    if (session !== undefined) return session.hangUp('app_crashed')
    // It threw before it started. An ended call is no longer known to the service.
    const media = { framesIn: 0, framesLost: 0, underruns: 0 }
    send({ kind: 'ended', callId, end: { reason: 'app_crashed', talkedMs: null, recording: null, media } })
  }

  /** The owner of errors caused by this message. */
  function scopeOf(message: ToVoice): ErrorScope | null {
    switch (message.kind) {
      case 'place':
        return { callId: message.plan.callId, fail: () => failCall(message.plan.callId) }
      case 'hang_up':
      case 'say_goodbye':
      case 'remote_answer':
      case 'remote_state':
        return { callId: message.callId, fail: () => failCall(message.callId) }
      case 'control': {
        const { callId, requestId } = message
        return {
          callId,
          fail() {
            send({ kind: 'controlled', requestId, result: { ok: false, why: 'not_running' } })
            failCall(callId)
          },
        }
      }
      case 'listen': {
        const { callId, requestId } = message
        return {
          callId,
          fail() {
            send({ kind: 'listening', requestId, answer: null })
            sessions.get(callId)?.removeListener(requestId)
          },
        }
      }
      case 'check_speech':
      case 'check_trunk': {
        const { requestId } = message
        const result = { ok: false, error: 'it failed unexpectedly' } as const
        return { callId: null, fail: () => send({ kind: 'checked', requestId, result }) }
      }
      case 'stop_listening':
      case 'reply':
      case 'register':
      case 'refuse_incoming':
      case 'stop':
        return null
    }
  }

  function report(error: unknown, scope: ErrorScope | undefined): boolean {
    let isFatal = scope === undefined
    try {
      scope?.fail()
    } catch {
      isFatal = true
    }
    const reports = scope === undefined ? 0 : (reported.get(scope) ?? 0)
    if (scope !== undefined) reported.set(scope, reports + 1)
    // An ended call may continue to throw for a while.
    if (reports < REPORTS_AT_MOST || isFatal)
      send({ kind: 'error', callId: scope?.callId ?? null, cause: traceOf(error), isFatal })
    return !isFatal
  }

  return {
    failed: (error) => report(error, errorScope()),
    receive(message) {
      const scope = scopeOf(message)
      if (scope === null) return receive(message)
      try {
        inErrorScope(scope, () => receive(message))
      } catch (error) {
        // Outside the scope, the owner of the error would be unknown.
        if (!report(error, scope)) throw error
      }
    },
    async stop(reason = 'app_closed') {
      const all = [...sessions.values()]
      for (const session of all) session.hangUp(reason)
      await Promise.all(all.map(({ ended }) => ended))
      trunks.close()
      await network.close()
    },
  }

  function receive(message: ToVoice): void {
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
      case 'control':
        return void control(message)
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
  }
}

const STACK_AT_MOST = 10
const REPORTS_AT_MOST = 10

function traceOf(error: unknown): ErrorTrace {
  if (!(error instanceof Error)) return { name: 'Unknown', code: null, at: [] }
  const { name, code, stack = '' } = error as NodeJS.ErrnoException
  const at = stack.split('\n').filter((line) => /^ +at /.test(line))
  return {
    name,
    code: typeof code === 'string' ? code : null,
    at: at.slice(0, STACK_AT_MOST).map((line) => line.trim()),
  }
}
