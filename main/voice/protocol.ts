import type { EndReason, TransferFailure, TranscriptLine } from '../contract/voice.ts'
import type { AccountId } from '../kernel/ids.ts'

/** Messages between the service and the voice process. Everything here survives structured cloning. */

/** How a simulated person behaves. */
export interface SandboxPerson {
  /** What happens without intervention. A ringing phone can also be answered by `remote_state`. */
  readonly outcome: 'answers' | 'busy' | 'no_answer' | 'rejected'
  readonly answerAfterMs: number
  /** The person speaks first instead of waiting for the greeting. */
  readonly speaksFirst: boolean
  /** The person's lines, one after each answer. The person hangs up after the last one. */
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
  /** A certificate authority in addition to the system's; PEM. */
  readonly ca?: string
  /** Private networks allowed for the trunk and its media: none unless the operator set the trunk. */
  readonly trustedRanges: readonly string[]
}

export type { TransferFailure } from '../contract/voice.ts'

/** How the person is reached. */
export type Route =
  | { readonly kind: 'sandbox'; readonly person: SandboxPerson }
  /** WebRTC with signaling elsewhere. Without an offer, we make one. */
  | { readonly kind: 'webrtc'; readonly offer: string | null }
  | { readonly kind: 'sip'; readonly trunk: SipTrunk; readonly number: string }
  /** A call that the trunk announced with `incoming`. */
  | { readonly kind: 'sip_incoming'; readonly incomingId: string }

/** Speech-to-text and text-to-speech services. */
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
  /** Private networks allowed for the services: none unless the operator set them. */
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
  /** null: a person at the console talks, with this offer. */
  readonly agent: AgentPlan | null
  readonly consoleOffer: string | null
  readonly speech: SpeechServices
  /** Played first. */
  readonly announcement: string | null
  /** File for the recording; null: no recording. */
  readonly recordTo: string | null
  /** Title stored in the recording. */
  readonly title: string
  readonly isSandbox: boolean
  readonly limitMs: number
  /** Ringing time limit. */
  readonly ringMs: number
  /** Time limit for the first audio after both sides agreed, or from the start if we answer an offer. */
  readonly mediaMs: number
}

/** An error without its message, which may contain untrusted text. */
export interface ErrorTrace {
  readonly name: string
  readonly code: string | null
  /** Lines of the stack. */
  readonly at: readonly string[]
}

export interface RecordingFacts {
  readonly durationMs: number
  readonly hasAudio: boolean
  /** One byte per span and side, the agent's first. */
  readonly peaks: Uint8Array
}

/** How a call ended. */
export interface CallEnd {
  readonly reason: EndReason
  /** From the first audio to the end, as in the recording; null if no audio arrived. */
  readonly talkedMs: number | null
  readonly recording: RecordingFacts | null
  readonly media: MediaCounts
}

/** Measurements of the audio. */
export interface MediaCounts {
  readonly framesIn: number
  readonly framesLost: number
  /** How often audio to the person was late by more than a frame. */
  readonly underruns: number
}

/** An action in a running call. */
export type Control =
  | { readonly kind: 'hold'; readonly isHeld: boolean }
  | { readonly kind: 'press'; readonly digits: string }
  | { readonly kind: 'transfer'; readonly number: string }

/**
 * Why an action failed. `refused`: the trunk refused it with this SIP status. `no_answer`: the trunk did not confirm
 * or refuse it. `no_digits`: the other side accepts no digits. `on_hold`: one side keeps the other on hold. `busy`:
 * another change is running. `cannot`: calls on this route do not support it.
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
  /** Says goodbye, then hangs up. */
  | { readonly kind: 'say_goodbye'; readonly callId: string; readonly reason: EndReason }
  /** The person's answer to our offer. */
  | { readonly kind: 'remote_answer'; readonly callId: string; readonly sdp: string }
  /** State reported by the network of a call with signaling elsewhere; `accepted` answers a simulated phone. */
  | { readonly kind: 'remote_state'; readonly callId: string; readonly state: 'ringing' | 'accepted' }
  | { readonly kind: 'control'; readonly callId: string; readonly requestId: number; readonly control: Control }
  | { readonly kind: 'listen'; readonly callId: string; readonly requestId: number; readonly offer: string }
  /** Disconnects the listener that was connected by the request. */
  | { readonly kind: 'stop_listening'; readonly callId: string; readonly requestId: number }
  | { readonly kind: 'reply'; readonly turnId: number; readonly text: string | null; readonly hangUp: boolean }
  | { readonly kind: 'check_speech'; readonly requestId: number; readonly speech: SpeechServices }
  | { readonly kind: 'check_trunk'; readonly requestId: number; readonly trunk: SipTrunk }
  /** Keeps the trunk registered for incoming calls; null: unregisters it. */
  | { readonly kind: 'register'; readonly instanceId: string; readonly trunk: SipTrunk | null }
  | { readonly kind: 'refuse_incoming'; readonly incomingId: string }
  | { readonly kind: 'stop' }

export type FromVoice =
  | { readonly kind: 'ready' }
  /** An uncaught error. Its call has been ended; null: it belongs to none. */
  | {
      readonly kind: 'error'
      readonly callId: string | null
      readonly cause: ErrorTrace
      /** The process ends, because its state is unknown after the error. */
      readonly isFatal: boolean
    }
  /** Our session description: an offer, or the answer to theirs. */
  | { readonly kind: 'local_sdp'; readonly callId: string; readonly sdp: string }
  | { readonly kind: 'console_answer'; readonly callId: string; readonly sdp: string }
  | { readonly kind: 'state'; readonly callId: string; readonly state: 'ringing' | 'in_progress' }
  | { readonly kind: 'line'; readonly callId: string; readonly line: TranscriptLine }
  | { readonly kind: 'held'; readonly callId: string; readonly isHeld: boolean }
  | { readonly kind: 'not_transferred'; readonly callId: string; readonly failure: TransferFailure | null }
  | { readonly kind: 'controlled'; readonly requestId: number; readonly result: ControlResult }
  /** The person said something; the service sends the agent's answer as `reply`. */
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
