import type { EndReason, TransferFailure, TranscriptLine } from '../contract/voice.ts'
import type { AccountId } from '../kernel/ids.ts'

/** What the service and the voice process say to each other. Everything here survives structured cloning. */

/** How a simulated person behaves. */
export interface SandboxPerson {
  /** By itself. One that rings is also answered by `remote_state`. */
  readonly outcome: 'answers' | 'busy' | 'no_answer' | 'rejected'
  readonly answerAfterMs: number
  /** Answers with the first line, instead of waiting to be greeted. */
  readonly speaksFirst: boolean
  /** What the person says, one line after each answer. The person hangs up after the last one. */
  readonly lines: readonly string[]
  /** How many times faster than a real call. */
  readonly speed: number
}

export interface SipTrunk {
  readonly host: string
  readonly port: number
  readonly transport: 'tcp' | 'tls' | 'wss'
  readonly username: string
  readonly password: string
  readonly callerId: string | null
  /** A certificate authority besides those of the system; PEM. */
  readonly ca?: string
  /** Private networks that the trunk and its media may be in: none unless the operator set the trunk. */
  readonly trustedRanges: readonly string[]
}

export type { TransferFailure } from '../contract/voice.ts'

/** The way to the person. */
export type Route =
  | { readonly kind: 'sandbox'; readonly person: SandboxPerson }
  /** WebRTC with the signalling elsewhere. Without an offer of theirs, we make one. */
  | { readonly kind: 'webrtc'; readonly offer: string | null }
  | { readonly kind: 'sip'; readonly trunk: SipTrunk; readonly number: string }
  /** A call that the trunk announced with `incoming`. */
  | { readonly kind: 'sip_incoming'; readonly incomingId: string }

/** Where speech is heard and made. */
export interface SpeechServices {
  readonly brain: 'script' | 'pipeline' | 'realtime'
  readonly sttUrl: string | null
  readonly sttModel: string | null
  readonly ttsUrl: string | null
  readonly ttsModel: string | null
  readonly ttsVoice: string | null
  readonly realtimeUrl: string | null
  readonly realtimeVoice: string | null
  readonly apiKey: string | null
  readonly accountId: AccountId
  /** Private networks that the services may be in: none unless the operator set them. */
  readonly trustedRanges: readonly string[]
}

export interface AgentPlan {
  readonly name: string
  readonly greeting: string
  readonly instructions: string
}

export interface CallPlan {
  readonly callId: string
  readonly route: Route
  /** null: a person at the console talks, who made this offer. */
  readonly agent: AgentPlan | null
  readonly consoleOffer: string | null
  readonly speech: SpeechServices
  /** Said first. */
  readonly announcement: string | null
  /** The file that is written while the call runs; null: nothing is recorded. */
  readonly recordTo: string | null
  /** Written into the recording. */
  readonly title: string
  readonly isSandbox: boolean
  readonly limitMs: number
  /** How long it may ring. */
  readonly ringMs: number
  /** How long sound may take to arrive once both sides agreed, or from the start if we answer an offer. */
  readonly mediaMs: number
}

/** An error without its message, which may hold foreign text. */
export interface ErrorTrace {
  readonly name: string
  readonly code: string | null
  /** Lines of the stack. */
  readonly at: readonly string[]
}

export interface RecordingFacts {
  readonly durationMs: number
  readonly hasAudio: boolean
  /** A byte for each span of each side, the agent's first. */
  readonly peaks: Uint8Array
}

/** How a call ended. */
export interface CallEnd {
  readonly reason: EndReason
  /** From the first sound to the end, in the time of the recording; null if none arrived. */
  readonly talkedMs: number | null
  readonly recording: RecordingFacts | null
  readonly media: MediaCounts
}

/** What was measured of the sound. */
export interface MediaCounts {
  readonly framesIn: number
  readonly framesLost: number
  /** Times the sound to the person was late by more than a frame. */
  readonly underruns: number
}

/** What a running call can be asked for besides its end. */
export type Control =
  | { readonly kind: 'hold'; readonly isHeld: boolean }
  | { readonly kind: 'press'; readonly digits: string }
  | { readonly kind: 'transfer'; readonly number: string }

/**
 * Why a control had no effect. `refused`: by the trunk, with this SIP status. `no_answer`: the trunk did not say whether
 * it did it. `no_digits`: the other side takes none. `on_hold`: one side keeps the other on hold. `busy`: something else
 * is being changed. `cannot`: calls that travel this way have no such control.
 */
export type ControlResult =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly why: 'cannot' | 'not_running' | 'not_connected' | 'no_answer' | 'no_digits' | 'on_hold' | 'busy'
    }
  | { readonly ok: false; readonly why: 'refused'; readonly status: number }

export type CheckResult =
  | { readonly ok: true; readonly detail: string }
  | { readonly ok: false; readonly error: string }

export type ToVoice =
  | { readonly kind: 'place'; readonly plan: CallPlan }
  | { readonly kind: 'hang_up'; readonly callId: string; readonly reason: EndReason }
  /** Hangs up once the person has been told. */
  | { readonly kind: 'say_goodbye'; readonly callId: string; readonly reason: EndReason }
  /** The person's session description, in answer to ours. */
  | { readonly kind: 'remote_answer'; readonly callId: string; readonly sdp: string }
  /** What the network says about a call whose signalling is elsewhere; `accepted` answers a simulated phone. */
  | { readonly kind: 'remote_state'; readonly callId: string; readonly state: 'ringing' | 'accepted' }
  | { readonly kind: 'control'; readonly callId: string; readonly requestId: number; readonly control: Control }
  | { readonly kind: 'listen'; readonly callId: string; readonly requestId: number; readonly offer: string }
  /** Disconnects the listener that was connected by the request. */
  | { readonly kind: 'stop_listening'; readonly callId: string; readonly requestId: number }
  | { readonly kind: 'reply'; readonly turnId: number; readonly text: string | null; readonly hangUp: boolean }
  | { readonly kind: 'check_speech'; readonly requestId: number; readonly speech: SpeechServices }
  | { readonly kind: 'check_trunk'; readonly requestId: number; readonly trunk: SipTrunk }
  /** Keeps the trunk registered, so that it can be called; null: no longer. */
  | { readonly kind: 'register'; readonly instanceId: string; readonly trunk: SipTrunk | null }
  | { readonly kind: 'refuse_incoming'; readonly incomingId: string }
  | { readonly kind: 'stop' }

export type FromVoice =
  | { readonly kind: 'ready' }
  /** Something threw where nobody catches. Its call has been ended; null: it belongs to none. */
  | {
      readonly kind: 'error'
      readonly callId: string | null
      readonly cause: ErrorTrace
      /** The process ends, because nobody knows what the error has broken. */
      readonly isFatal: boolean
    }
  /** Ours: an offer, or the answer to theirs. */
  | { readonly kind: 'local_sdp'; readonly callId: string; readonly sdp: string }
  | { readonly kind: 'console_answer'; readonly callId: string; readonly sdp: string }
  | { readonly kind: 'state'; readonly callId: string; readonly state: 'ringing' | 'in_progress' }
  | { readonly kind: 'line'; readonly callId: string; readonly line: TranscriptLine }
  | { readonly kind: 'held'; readonly callId: string; readonly isHeld: boolean }
  | { readonly kind: 'not_transferred'; readonly callId: string; readonly failure: TransferFailure | null }
  | { readonly kind: 'controlled'; readonly requestId: number; readonly result: ControlResult }
  /** The person said something; the agent answers with `reply`. */
  | { readonly kind: 'turn'; readonly callId: string; readonly turnId: number; readonly text: string }
  | { readonly kind: 'ended'; readonly callId: string; readonly end: CallEnd }
  | { readonly kind: 'listening'; readonly requestId: number; readonly answer: string | null }
  | { readonly kind: 'checked'; readonly requestId: number; readonly result: CheckResult }
  | {
      readonly kind: 'incoming'
      readonly instanceId: string
      readonly incomingId: string
      readonly from: string
    }
