import type { EndReason, TranscriptLine } from '../contract/voice.ts'
import type { Clock, Timer } from '../kernel/clock.ts'
import { startTimeout } from '../kernel/timeout.ts'
import { FRAME_MS, mix, SILENCE } from './audio.ts'
import type { BrainDeps, VoiceBrain } from './brains/brain.ts'
import type { CallLeg } from './leg.ts'
import { createMouth } from './mouth.ts'
import { startPacer, type Pacer } from './pacer.ts'
import type { CallEnd, CallPlan, FromVoice } from './protocol.ts'
import type { Recorder } from './recorder.ts'
import type { Tts } from './speech/speech.ts'

interface SessionDeps {
  readonly clock: Clock
  readonly plan: CallPlan
  /** To the person. */
  readonly leg: CallLeg
  /** To the console, if a person there talks instead of an agent. */
  readonly console: CallLeg | null
  readonly createBrain: (deps: BrainDeps) => VoiceBrain
  readonly createRecorder: (onFailed: (error: unknown) => void) => Promise<Recorder>
  readonly builtIn: Tts
  readonly answer: BrainDeps['answer']
  readonly send: (message: FromVoice) => void
}

export interface CallSession {
  hangUp(reason: EndReason): void
  remoteAnswer(sdp: string): void
  remoteState(state: 'ringing' | 'accepted'): void
  /** Adds somebody who hears both sides. @param onAnswer our session description; null: it failed. Called once. */
  addListener(leg: CallLeg, onAnswer: (sdp: string | null) => void): void
  /** Resolves when the recording is complete and `ended` was sent. */
  readonly ended: Promise<unknown>
}

const CONNECT_MS = 20_000

/** One call: the way to the person, what the agent does, and the recording. */
export function startSession(deps: SessionDeps): CallSession {
  const { clock, plan, leg, console: consoleLeg, send, builtIn } = deps
  const { callId, agent } = plan
  const listeners = new Set<CallLeg>()
  const { promise: ended, resolve: close } = Promise.withResolvers<undefined>()
  let frames = 0
  let isConnected = false
  let isAccepted = false
  let end: EndReason | undefined
  let pacer: Pacer | undefined
  let brain: VoiceBrain | undefined
  let recorder: Recorder | undefined
  let hangsUpWhenQuiet = false
  let timers: Timer[] = []

  const nowMs = () => frames * FRAME_MS
  const onLine = (line: TranscriptLine) => send({ kind: 'line', callId, line })
  const mouth = createMouth(onLine)

  function finish(reason: EndReason): void {
    if (end !== undefined) return
    end = reason
    pacer?.stop()
    for (const timer of timers) timer.cancel()
    timers = []
    mouth.interrupt(nowMs())
    brain?.stop()
    for (const each of [leg, consoleLeg, ...listeners]) each?.hangUp(reason)
    void closeRecording().then((recording) => {
      const { framesIn, framesLost } = leg.counts()
      const media = { framesIn, framesLost, underruns: pacer?.underruns() ?? 0 }
      const result: CallEnd = { reason, talkedMs: isConnected ? nowMs() : null, recording, media }
      send({ kind: 'ended', callId, end: result })
      close(undefined)
    })
  }

  async function closeRecording(): Promise<CallEnd['recording']> {
    return (await opening)?.close() ?? null
  }

  let opening: Promise<Recorder | null> | undefined

  /** The recorder is open before the first sound, or the beginning would be missing. */
  function connect(): void {
    if (isConnected || end !== undefined) return
    isConnected = true
    for (const timer of timers) timer.cancel()
    timers = [startTimeout(clock, plan.limitMs / leg.speed, () => finish('time_limit'))]
    opening = (
      plan.recordTo === null ? Promise.resolve(null) : deps.createRecorder(() => finish('storage_full'))
    ).catch(() => {
      finish('storage_full')
      return null
    })
    void opening.then((opened) => {
      recorder = opened ?? undefined
      if (end !== undefined) return
      send({ kind: 'state', callId, state: 'in_progress' })
      begin()
    })
  }

  function begin(): void {
    if (agent !== null) {
      brain = deps.createBrain({
        ...{ clock, agent, speech: plan.speech, announcement: plan.announcement, mouth, builtIn, nowMs },
        ...{ hasCaptions: leg.hasCaptions, answer: deps.answer, onPersonLine: onLine },
        hangUpWhenQuiet: () => void (hangsUpWhenQuiet = true),
        onFailed: () => finish('agent_failed'),
      })
      brain.start()
    }
    pacer = startPacer(clock, leg.speed, {
      frame: tick,
      isHeld: () => leg.speed > 1 && brain?.isBusy() === true,
    })
  }

  function tick(): void {
    const atMs = nowMs()
    const ours = (agent === null ? consoleLeg?.take() : mouth.next(atMs)) ?? SILENCE
    leg.send(ours)
    const theirs = leg.take() ?? SILENCE
    if (end !== undefined) return
    frames++
    consoleLeg?.send(theirs)
    recorder?.add(ours, theirs)
    brain?.hear(theirs, atMs)
    for (const listener of listeners) listener.send(mix(ours, theirs))
    if (hangsUpWhenQuiet && mouth.isQuiet()) finish('agent_hung_up')
  }

  leg.start({
    onLocalSdp: (sdp) => send({ kind: 'local_sdp', callId, sdp }),
    onRinging() {
      if (end === undefined && !isConnected) send({ kind: 'state', callId, state: 'ringing' })
    },
    onConnected: connect,
    onCaption(text, durationMs) {
      const at = nowMs()
      onLine({ speaker: 'person', start_ms: Math.max(0, at - durationMs), end_ms: at, text })
      brain?.caption(text)
    },
    onEnded: finish,
  })
  consoleLeg?.start({
    onLocalSdp: (sdp) => send({ kind: 'console_answer', callId, sdp }),
    onRinging() {},
    onConnected() {},
    onCaption() {},
    onEnded: () => finish('operator_hung_up'),
  })
  // A browser that waits for our answer to its offer does not ring.
  const { route } = plan
  const isAnswering = route.kind === 'webrtc' && route.offer !== null
  timers.push(
    startTimeout(clock, isAnswering ? CONNECT_MS : plan.ringMs / leg.speed, () =>
      finish(isAccepted || isAnswering ? 'no_media_connection' : 'no_answer'),
    ),
  )

  return {
    hangUp: finish,
    remoteAnswer: (sdp) => leg.remoteAnswer(sdp),
    remoteState(state) {
      if (state === 'accepted' && !isAccepted) {
        isAccepted = true
        timers.push(startTimeout(clock, CONNECT_MS, () => finish('no_media_connection')))
      }
      leg.remoteState(state)
    },
    addListener(listener, onAnswer) {
      listeners.add(listener)
      listener.start({
        onLocalSdp: onAnswer,
        onRinging() {},
        onConnected() {},
        onCaption() {},
        onEnded() {
          listeners.delete(listener)
          onAnswer(null)
        },
      })
    },
    ended,
  }
}
