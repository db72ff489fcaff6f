import type { EndReason } from '../contract/voice.ts'
import type { ControlResult, MediaCounts, TransferFailure } from './protocol.ts'

export type { ControlResult } from './protocol.ts'

export interface LegEvents {
  /** Our session description: an offer, or the answer to theirs. */
  onLocalSdp(sdp: string): void
  onRinging(): void
  /** Both sides agreed, and audio can be sent. */
  onConnected(): void
  /** What the person said, as text, if a simulation provides it. */
  onCaption(text: string, durationMs: number): void
  /** The person pressed a key of the phone: 0 to 9, *, #, or A to D. */
  onDigit(digit: string): void
  /** The other side was put on hold, or resumed. */
  onHeld(isHeld: boolean): void
  /** An accepted transfer failed. null: its outcome is unknown. A successful transfer ends the call. */
  onNotTransferred(failure: TransferFailure | null): void
  /** The other side ended the call, or the connection failed. Called at most once. */
  onEnded(reason: EndReason): void
}

/** A connection to one party: audio in frames of 20 ms, in both directions. */
export interface CallLeg {
  /** How many times faster than real time it runs. */
  readonly speed: number
  /** Whether it provides the person's words as text. */
  readonly hasCaptions: boolean
  start(events: LegEvents): void
  /** Resolves when the person's speech is generated, which takes real time at any speed. Never rejects. */
  prepared?(): Promise<unknown>
  send(frame: Int16Array): void
  // Only for connections that support them. None of these rejects.
  /** Puts the other side on hold, or resumes. */
  hold?(isHeld: boolean): Promise<ControlResult>
  /** Sends keypad digits. Resolves when they are sent. */
  press?(digits: string): Promise<ControlResult>
  /** Asks the network to transfer the other side to this number. Resolves when it has accepted the request. */
  transfer?(number: string): Promise<ControlResult>
  /** The next 20 ms from the other side; null: nothing arrived. */
  take(): Int16Array | null
  remoteAnswer(sdp: string): void
  /** State reported by the network, if the signaling is elsewhere. */
  remoteState(state: 'ringing' | 'accepted'): void
  /** Ends the call, and tells the other side why if possible. */
  hangUp(reason: EndReason): void
  counts(): Pick<MediaCounts, 'framesIn' | 'framesLost'>
}
