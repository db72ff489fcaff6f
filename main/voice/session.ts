import type { EndReason, TranscriptLine } from '../contract/voice.ts'
import type { Clock, Timer } from '../kernel/clock.ts'
import { startTimeout } from '../kernel/timeout.ts'
import { FRAME_MS, mix, SILENCE } from './audio.ts'
import { speak, type BrainDeps, type VoiceBrain } from './brains/brain.ts'
import { keepErrorScope } from './error-scope.ts'
import type { CallLeg } from './leg.ts'
import { createMouth } from './mouth.ts'
import { startPacer, type Pacer } from './pacer.ts'
import type { CallEnd, CallPlan, Control, ControlResult, FromVoice } from './protocol.ts'
import type { Recorder } from './recorder.ts'
import { AGENT_VOICE, type Tts } from './speech/speech.ts'

interface SessionDeps {
  readonly clock: Clock
  readonly plan: CallPlan
  /** Connection to the person. */
  readonly leg: CallLeg
  /** Connection to the console, if a person there talks instead of an agent. */
  readonly console: CallLeg | null
  readonly createBrain: (deps: BrainDeps) => VoiceBrain
  readonly createRecorder: (onFailed: (error: unknown) => void) => Promise<Recorder>
  readonly builtIn: Tts
  readonly answer: BrainDeps['answer']
  readonly send: (message: FromVoice) => void
}

export interface CallSession {
  hangUp(reason: EndReason): void
  /** Says goodbye, then hangs up. */
  sayGoodbye(reason: EndReason): void
  remoteAnswer(sdp: string): void
  remoteState(state: 'ringing' | 'accepted'): void
  /** Never rejects. */
  control(control: Control): Promise<ControlResult>
  /** Adds a listener who hears both sides. @param onAnswer our session description; null: it failed. Called once. */
  addListener(id: number, leg: CallLeg, onAnswer: (sdp: string | null) => void): void
  removeListener(id: number): void
  /** Resolves when the recording is complete and `ended` was sent. */
  readonly ended: Promise<unknown>
}

/** Short, because a stopping service has only a few seconds. */
const GOODBYE = 'We have to hang up. Goodbye.'

/** Ten times as much as two people say in half an hour. Services may send transcripts without an end. */
const TRANSCRIPT_AT_MOST = 500_000
/** Size of a line in addition to its text. */
const LINE_COSTS = 50

/** One call: the connection to the person, the agent, and the recording. */
export function startSession(deps: SessionDeps): CallSession {
  const { clock, plan, leg, console: consoleLeg, send, builtIn } = deps
  const { callId, agent, route } = plan
  const isAnswering = route.kind === 'webrtc' && route.offer !== null
  const listeners = new Map<number, CallLeg>()
  const { promise: ended, resolve: close } = Promise.withResolvers<undefined>()
  let frames = 0
  let textLeft = TRANSCRIPT_AT_MOST
  /** Both sides agreed, and no audio from the person has arrived yet. */
  let isOpen = false
  /** Audio from the person has arrived: the call is answered. */
  let isConnected = false
  let isTalking = false
  let isAccepted = false
  let isHeld = false
  let end: EndReason | undefined
  let pacer: Pacer | undefined
  let brain: VoiceBrain | undefined
  let opening: Promise<Recorder | null> | undefined
  let recorder: Recorder | undefined
  let reasonWhenQuiet: EndReason | undefined
  let timers: Timer[] = []

  const isOver = () => end !== undefined
  const nowMs = () => frames * FRAME_MS
  const onLine = (line: TranscriptLine) => {
    textLeft -= line.text.length + LINE_COSTS
    if (textLeft > 0) send({ kind: 'line', callId, line })
  }
  const mouth = createMouth(onLine)
  const limitMedia = () => startTimeout(clock, plan.mediaMs, () => finish('no_media_connection'))

  function finish(given: EndReason): void {
    if (end !== undefined) return
    // Audio that never arrived cannot have been lost.
    const reason = given === 'media_lost' && !isConnected ? 'no_media_connection' : given
    end = reason
    pacer?.stop()
    for (const timer of timers) timer.cancel()
    timers = []
    mouth.interrupt(nowMs())
    // An error here must not stop the others, or the recording, from ending.
    quietly(() => brain?.stop())
    for (const each of [leg, consoleLeg, ...listeners.values()]) quietly(() => each?.hangUp(reason))
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

  /**
   * Sends silence until the person's first audio arrives, because some connections open only when something is sent.
   */
  function open(): void {
    if (isOpen || end !== undefined) return
    isOpen = true
    // The time limit of a browser that waits for our answer runs from the start.
    if (!isAnswering) {
      for (const timer of timers) timer.cancel()
      timers = [limitMedia()]
    }
    pacer = startPacer(clock, leg.speed, {
      frame: () => (isTalking ? tick() : waitForSound()),
      isHeld: () => leg.speed > 1 && brain?.isBusy() === true,
    })
  }

  function waitForSound(): void {
    leg.send(SILENCE)
    // The connection buffers audio while the recorder opens.
    if (isConnected) return
    leg.take()
    if (leg.counts().framesIn > 0) connect()
  }

  /** Opens the recorder before taking the first audio, so that the beginning is not missing. */
  function connect(): void {
    if (isConnected || end !== undefined) return
    isConnected = true
    for (const timer of timers) timer.cancel()
    // At more than normal speed, frames are counted, because time stops while the agent is busy.
    timers = leg.speed > 1 ? [] : [startTimeout(clock, plan.limitMs, () => finish('time_limit'))]
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
    isTalking = true
    if (agent !== null) {
      brain = deps.createBrain({
        ...{ clock, agent, speech: plan.speech, announcement: plan.announcement, mouth, builtIn, nowMs },
        ...{ hasCaptions: leg.hasCaptions, answer: deps.answer, onPersonLine: onLine },
        hangUpWhenQuiet: () => void (reasonWhenQuiet ??= 'agent_hung_up'),
        onFailed: () => finish('agent_failed'),
      })
      brain.start()
    }
  }

  function tick(): void {
    const atMs = nowMs()
    const ours = nextOfOurs(atMs)
    leg.send(ours)
    const theirs = leg.take() ?? SILENCE
    if (end !== undefined) return
    frames++
    consoleLeg?.send(theirs)
    recorder?.add(ours, theirs)
    if (!isHeld) brain?.hear(theirs, atMs)
    for (const listener of listeners.values()) listener.send(mix(ours, theirs))
    if (reasonWhenQuiet !== undefined && mouth.isQuiet()) finish(reasonWhenQuiet)
    if (leg.speed > 1 && nowMs() >= plan.limitMs) finish('time_limit')
  }

  /** A person on hold hears nothing: the agent's speech waits, and speech from the console is dropped. */
  function nextOfOurs(atMs: number): Int16Array {
    if (agent !== null) return isHeld ? SILENCE : (mouth.next(atMs) ?? SILENCE)
    const spoken = consoleLeg?.take() ?? SILENCE
    return isHeld ? SILENCE : spoken
  }

  async function control(wanted: Control): Promise<ControlResult> {
    if (!isTalking || end !== undefined) return { ok: false, why: 'not_running' }
    const cannot: ControlResult = { ok: false, why: 'cannot' }
    switch (wanted.kind) {
      case 'hold':
        return leg.hold?.(wanted.isHeld) ?? cannot
      case 'transfer':
        return leg.transfer?.(wanted.number) ?? cannot
      case 'press': {
        const at = nowMs()
        const result = (await leg.press?.(wanted.digits)) ?? cannot
        if (result.ok && !isOver())
          onLine({ speaker: 'agent', start_ms: at, end_ms: nowMs(), text: `Pressed ${wanted.digits}` })
        return result
      }
    }
  }

  function limitRinging(): void {
    if (isOpen || end !== undefined) return
    const giveUp = () => finish(isAccepted ? 'no_media_connection' : 'no_answer')
    timers.push(startTimeout(clock, plan.ringMs / leg.speed, giveUp))
  }

  /** Uses the built-in voice, because a speech service might not answer while this one stops. */
  function sayGoodbye(reason: EndReason): void {
    if (!isTalking || agent === null || isHeld) return finish(reason)
    brain?.stop()
    brain = undefined
    mouth.interrupt(nowMs())
    const speaking = speak({ mouth }, builtIn, GOODBYE, AGENT_VOICE, new AbortController().signal)
    reasonWhenQuiet = reason
    speaking.catch(() => finish(reason))
  }

  leg.start({
    onLocalSdp: (sdp) => send({ kind: 'local_sdp', callId, sdp }),
    onRinging() {
      if (end === undefined && !isConnected) send({ kind: 'state', callId, state: 'ringing' })
    },
    onConnected: keepErrorScope(open),
    onCaption(text, durationMs) {
      const at = nowMs()
      onLine({ speaker: 'person', start_ms: Math.max(0, at - durationMs), end_ms: at, text })
      brain?.caption(text)
    },
    onDigit(digit) {
      const at = nowMs()
      if (isTalking) onLine({ speaker: 'person', start_ms: at, end_ms: at, text: `Pressed ${digit}` })
    },
    onHeld(is) {
      isHeld = is
      if (end === undefined) send({ kind: 'held', callId, isHeld: is })
    },
    onNotTransferred(failure) {
      if (end === undefined) send({ kind: 'not_transferred', callId, failure })
    },
    onEnded: keepErrorScope(finish),
  })
  consoleLeg?.start({
    onLocalSdp: (sdp) => send({ kind: 'console_answer', callId, sdp }),
    onRinging() {},
    onConnected() {},
    ...NOTHING,
    onEnded: () => finish('operator_hung_up'),
  })
  // A browser that waits for our answer to its offer does not ring.
  if (isAnswering) timers.push(limitMedia())
  else if (leg.prepared === undefined) limitRinging()
  else void leg.prepared().then(limitRinging)

  return {
    hangUp: finish,
    sayGoodbye,
    remoteAnswer: (sdp) => leg.remoteAnswer(sdp),
    remoteState(state) {
      if (state === 'accepted' && !isAccepted) {
        isAccepted = true
        timers.push(limitMedia())
      }
      leg.remoteState(state)
    },
    control,
    addListener(id, listener, onAnswer) {
      listeners.set(id, listener)
      listener.start({
        onLocalSdp: onAnswer,
        onRinging() {},
        onConnected() {},
        ...NOTHING,
        onEnded() {
          listeners.delete(id)
          onAnswer(null)
        },
      })
    },
    removeListener(id) {
      listeners.get(id)?.hangUp('operator_hung_up')
      listeners.delete(id)
    },
    ended,
  }
}

/** Events that do not occur for the console or a listener. */
const NOTHING = { onCaption() {}, onDigit() {}, onHeld() {}, onNotTransferred() {} }

function quietly(act: () => void): void {
  try {
    act()
  } catch {
    // The call is over anyway.
  }
}
