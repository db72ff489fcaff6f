import type { TranscriptLine } from '../contract/voice.ts'
import type { ChildProgram, StartChildProgram } from '../kernel/child-program.ts'
import type { Clock, Timer } from '../kernel/clock.ts'
import { cause, type Log } from '../kernel/log.ts'
import { startTimeout } from '../kernel/timeout.ts'
import type {
  CallEnd,
  CallPlan,
  CheckResult,
  Control,
  ControlResult,
  FromVoice,
  SipTrunk,
  SpeechServices,
  ToVoice,
  TransferFailure,
} from './protocol.ts'

export type { CallEnd, CallPlan, Control, ControlResult, SipTrunk } from './protocol.ts'

type VoiceLink = ChildProgram<ToVoice>
export type StartVoice = StartChildProgram<ToVoice, FromVoice>

/** Events of a call for its caller. */
export interface CallEvents {
  /** Our session description: an offer, or the answer to theirs. */
  onLocalSdp?(sdp: string): void
  onConsoleAnswer?(sdp: string): void
  onState(state: 'ringing' | 'in_progress'): void
  onLine(line: TranscriptLine): void
  /** The person was put on hold, or resumed. */
  onHeld?(isHeld: boolean): void
  /** A transfer failed; null: its outcome is unknown. A successful one ends the call. */
  onNotTransferred?(failure: TransferFailure | null): void
  /** @returns the agent's answer; null: none. Never rejects. */
  onTurn(text: string): Promise<{ readonly text: string | null; readonly hangUp: boolean }>
}

interface Listener {
  /** Our session description. */
  readonly answer: string
  /** Disconnects the listener. */
  stop(): void
}

export interface PlacedCall {
  /** Never rejects. null: the voice process ended, or did not end the call in time; the part file may be readable. */
  readonly ended: Promise<CallEnd | null>
  hangUp(reason: CallEnd['reason']): void
  /** Says goodbye, then hangs up. */
  sayGoodbye(reason: CallEnd['reason']): void
  remoteAnswer(sdp: string): void
  remoteState(state: 'ringing' | 'accepted'): void
  /** Never rejects. null: the voice process did not answer. */
  control(control: Control): Promise<ControlResult | null>
  /** @returns null: the call has ended. */
  listen(offer: string): Promise<Listener | null>
}

export interface IncomingCall {
  readonly instanceId: string
  readonly incomingId: string
  readonly from: string
}

/** Audio and signaling in a separate process, so that no call can block the service. */
export interface VoiceProcess {
  /** false: this build has no voice process. */
  readonly isThere: boolean
  place(plan: CallPlan, events: CallEvents): PlacedCall
  checkSpeech(speech: SpeechServices): Promise<CheckResult>
  checkTrunk(trunk: SipTrunk): Promise<CheckResult>
  register(instanceId: string, trunk: SipTrunk | null): void
  isRegistered(instanceId: string): boolean
  refuse(incomingId: string): void
  onIncoming(listener: (call: IncomingCall) => void): void
  /** The problem and what to do, for a person, if the process keeps ending. null: no problem. */
  problem(): string | null
  close(): Promise<void>
  /** Kills the process, which does not respond and would outlive the service. */
  abandon(): void
}

/** The process takes 60 MB, which a service without calls does not need. */
const IDLE_MS = 60_000
const CHECK_MS = 20_000
const FIRST_RESTART_MS = 1_000
const LONGEST_RESTART_MS = 5 * 60_000
/** A process that ran for less probably ended for the same reason as the one before. */
const STABLE_MS = 60_000
/** A single bad packet or lack of memory may end it once or twice. */
const PROBLEM_AFTER = 3
/** Its calls have already ended. */
const STOP_MS = 1_000
/** The voice process ends calls by its own limits. A call that it does not end by then is given up. */
const OVERDUE_MS = 60_000
const HANG_UP_MS = 10_000

interface Running {
  readonly events: CallEvents
  readonly end: (end: CallEnd | null) => void
}

interface VoiceProcessDeps {
  readonly clock: Pick<Clock, 'mono' | 'after'>
  readonly log: Log
  /** null: this build has no voice process. */
  readonly start: StartVoice | null
  /** `problem` has changed. */
  readonly onChange?: () => void
}

/** Starts the voice process on first use, and ends it after a minute without calls. */
export function createVoiceProcess({ clock, log, start, onChange = () => {} }: VoiceProcessDeps): VoiceProcess {
  const calls = new Map<string, Running>()
  const asked = new Map<number, (answer: FromVoice | null) => void>()
  const trunks = new Map<string, SipTrunk>()
  const listeners: ((call: IncomingCall) => void)[] = []
  let requests = 0
  let link: VoiceLink | undefined
  let gone: (() => void) | undefined
  let idle: Timer | undefined
  let restart: Timer | undefined
  let stable: Timer | undefined
  let startedMono = 0
  /** Number of consecutive ends within a minute after the start. */
  let failures = 0
  let lastReason = ''
  let isClosed = false

  function open(): VoiceLink {
    if (start === null || isClosed) throw new Error('This build has no voice process.')
    idle?.cancel()
    if (link !== undefined) return link
    restart?.cancel()
    const opened: VoiceLink = start(
      (message) => {
        if (link === opened) receive(message)
      },
      (reason) => exited(opened, reason),
    )
    link = opened
    startedMono = clock.mono()
    if (failures >= PROBLEM_AFTER) stable = startTimeout(clock, STABLE_MS, healed)
    for (const [instanceId, trunk] of trunks) opened.send({ kind: 'register', instanceId, trunk })
    return opened
  }

  function healed(): void {
    failures = 0
    onChange()
  }

  function exited(which: VoiceLink, reason = 'for no known reason'): void {
    if (link !== which) return
    link = undefined
    stable?.cancel()
    gone?.()
    const ranMs = clock.mono() - startedMono
    if (ranMs >= STABLE_MS) failures = 0
    const [ended, unanswered] = [[...calls.values()], [...asked.values()]]
    calls.clear()
    asked.clear()
    if (!isClosed) {
      const restartInMs = failed(reason)
      log.warn({
        ...{ event: 'voice.process_ended', reason, ranMs, calls: ended.length, trunks: trunks.size, restartInMs },
      })
    }
    for (const { end } of ended) end(null)
    for (const settle of unanswered) settle(null)
  }

  /** @returns the delay in milliseconds before the restart; null: on next use. */
  function failed(reason: string): number | null {
    lastReason = reason
    const waitMs = Math.min(FIRST_RESTART_MS * 2 ** Math.min(failures, 20), LONGEST_RESTART_MS)
    failures++
    if (failures === PROBLEM_AFTER) onChange()
    if (trunks.size === 0 || isClosed) return null
    restart?.cancel()
    restart = startTimeout(clock, waitMs, openAgain)
    return waitMs
  }

  function openAgain(): void {
    if (trunks.size === 0 || isClosed) return
    try {
      open()
    } catch (error) {
      log.warn({ event: 'voice.not_started', cause: cause(error) })
      failed('it could not be started')
    }
  }

  function receive(message: FromVoice): void {
    switch (message.kind) {
      case 'ready':
        return
      case 'error': {
        const { kind: _, ...what } = message
        return log.error({ event: 'voice.error', ...what })
      }
      case 'listening':
      case 'controlled':
      case 'checked': {
        const settle = asked.get(message.requestId)
        asked.delete(message.requestId)
        settle?.(message)
        return stopWhenIdle()
      }
      case 'incoming':
        for (const listener of listeners) listener(message)
        return
      case 'ended': {
        const call = calls.get(message.callId)
        calls.delete(message.callId)
        call?.end(message.end)
        return stopWhenIdle()
      }
      case 'turn': {
        const { turnId } = message
        void calls
          .get(message.callId)
          ?.events.onTurn(message.text)
          .then((reply) => link?.send({ kind: 'reply', turnId, ...reply }))
        return
      }
      case 'local_sdp':
        return calls.get(message.callId)?.events.onLocalSdp?.(message.sdp)
      case 'console_answer':
        return calls.get(message.callId)?.events.onConsoleAnswer?.(message.sdp)
      case 'state':
        return calls.get(message.callId)?.events.onState(message.state)
      case 'line':
        return calls.get(message.callId)?.events.onLine(message.line)
      case 'held':
        return calls.get(message.callId)?.events.onHeld?.(message.isHeld)
      case 'not_transferred':
        return calls.get(message.callId)?.events.onNotTransferred?.(message.failure)
    }
  }

  function stopWhenIdle(): void {
    idle?.cancel()
    if (calls.size > 0 || asked.size > 0 || trunks.size > 0) return
    idle = startTimeout(clock, IDLE_MS, () => {
      const stopped = link
      link = undefined
      stopped?.send({ kind: 'stop' })
    })
  }

  function ask(request: (requestId: number) => ToVoice): Promise<FromVoice | null> {
    const requestId = ++requests
    return new Promise((resolve) => {
      const limit = startTimeout(clock, CHECK_MS, () => {
        asked.delete(requestId)
        resolve(null)
      })
      asked.set(requestId, (answer) => {
        limit.cancel()
        resolve(answer)
      })
      try {
        open().send(request(requestId))
      } catch (error) {
        log.warn({ event: 'voice.not_started', cause: cause(error) })
        asked.get(requestId)?.(null)
        asked.delete(requestId)
      }
    })
  }

  const checked = (answer: FromVoice | null): CheckResult =>
    answer?.kind === 'checked' ? answer.result : { ok: false, error: 'The voice process did not answer.' }

  return {
    isThere: start !== null,
    place(plan, events) {
      const { callId } = plan
      const { promise, resolve } = Promise.withResolvers<CallEnd | null>()
      const say = (message: ToVoice) => {
        if (calls.has(callId)) link?.send(message)
      }
      let overdue: Timer | undefined
      const giveUpIn = (ms: number) => {
        if (!calls.has(callId)) return
        overdue?.cancel()
        overdue = startTimeout(clock, ms, () => {
          log.warn({ event: 'voice.call_not_ended', callId })
          calls.delete(callId)
          resolve(null)
          stopWhenIdle()
        })
      }
      const end = (ended: CallEnd | null) => {
        overdue?.cancel()
        resolve(ended)
      }
      try {
        const opened = open()
        calls.set(callId, { events, end })
        opened.send({ kind: 'place', plan })
        giveUpIn(plan.ringMs + plan.mediaMs + plan.limitMs + OVERDUE_MS)
      } catch (error) {
        log.warn({ event: 'voice.not_started', cause: cause(error) })
        calls.delete(callId)
        resolve(null)
      }
      return {
        ended: promise,
        hangUp(reason) {
          say({ kind: 'hang_up', callId, reason })
          giveUpIn(HANG_UP_MS)
        },
        sayGoodbye: (reason) => say({ kind: 'say_goodbye', callId, reason }),
        remoteAnswer: (sdp) => say({ kind: 'remote_answer', callId, sdp }),
        remoteState: (state) => say({ kind: 'remote_state', callId, state }),
        async control(control) {
          if (!calls.has(callId)) return { ok: false, why: 'not_running' }
          const answer = await ask((requestId) => ({ kind: 'control', callId, requestId, control }))
          return answer?.kind === 'controlled' ? answer.result : null
        },
        async listen(offer) {
          if (!calls.has(callId)) return null
          const answer = await ask((requestId) => ({ kind: 'listen', callId, requestId, offer }))
          if (answer?.kind !== 'listening' || answer.answer === null) return null
          const { requestId } = answer
          return { answer: answer.answer, stop: () => say({ kind: 'stop_listening', callId, requestId }) }
        },
      }
    },
    checkSpeech: async (speech) => checked(await ask((requestId) => ({ kind: 'check_speech', requestId, speech }))),
    checkTrunk: async (trunk) => checked(await ask((requestId) => ({ kind: 'check_trunk', requestId, trunk }))),
    register(instanceId, trunk) {
      if (trunk === null) trunks.delete(instanceId)
      else trunks.set(instanceId, trunk)
      if (link !== undefined) link.send({ kind: 'register', instanceId, trunk })
      else if (trunk !== null && start !== null) openAgain()
      stopWhenIdle()
    },
    isRegistered: (instanceId) => trunks.has(instanceId),
    refuse: (incomingId) => link?.send({ kind: 'refuse_incoming', incomingId }),
    onIncoming: (listener) => void listeners.push(listener),
    problem: () => (failures < PROBLEM_AFTER ? null : sentenceOf(failures, lastReason)),
    abandon: () => link?.kill(),
    async close() {
      isClosed = true
      idle?.cancel()
      restart?.cancel()
      stable?.cancel()
      const stopped = link
      if (stopped === undefined) return
      stopped.send({ kind: 'stop' })
      await new Promise<void>((resolve) => {
        const limit = startTimeout(clock, STOP_MS, () => {
          stopped.kill()
          resolve()
        })
        gone = () => {
          limit.cancel()
          resolve()
        }
      })
    },
  }
}

const sentenceOf = (failures: number, reason: string): string =>
  `The program that makes calls ended ${failures} times in a row (${reason}). Running calls fail when it ends, and numbers ` +
  'on SIP trunks cannot be called until it runs. Switchboard starts it again within five minutes. Check ' +
  'that this computer has free memory, look for voice.process_ended and voice.error in the log, then restart Switchboard.'
