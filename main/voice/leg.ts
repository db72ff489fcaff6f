import type { EndReason } from '../contract/voice.ts'
import type { ControlResult, MediaCounts, TransferFailure } from './protocol.ts'

export type { ControlResult } from './protocol.ts'

export interface LegEvents {
  /** Ours: an offer, or the answer to theirs. */
  onLocalSdp(sdp: string): void
  onRinging(): void
  /** Both sides agreed, and sound can be sent. */
  onConnected(): void
  /** What the person said, where a simulation knows it. */
  onCaption(text: string, durationMs: number): void
  /** The person pressed a key of their telephone: 0 to 9, *, #, or A to D. */
  onDigit(digit: string): void
  /** The other side is on hold, or no longer. */
  onHeld(isHeld: boolean): void
  /** A transfer that was accepted did not take place. null: nobody says whether it did. One that did ends the call. */
  onNotTransferred(failure: TransferFailure | null): void
  /** The other side ended it, or it broke. Called once at most. */
  onEnded(reason: EndReason): void
}

/** The way to somebody: sound in frames of 20 ms, both ways. */
export interface CallLeg {
  /** How many times faster than real time it runs. */
  readonly speed: number
  /** Whether it says what the person says. */
  readonly hasCaptions: boolean
  start(events: LegEvents): void
  /** Resolves when what the person says has been made, which takes real time at any speed. Never rejects. */
  prepared?(): Promise<unknown>
  send(frame: Int16Array): void
  // Only of ways that can. None of these rejects.
  /** Puts the other side on hold, or takes it back. */
  hold?(isHeld: boolean): Promise<ControlResult>
  /** Presses keys of a telephone. Resolves when they were sent. */
  press?(digits: string): Promise<ControlResult>
  /** Asks the network to connect the other side with this number. Resolves when it has accepted that. */
  transfer?(number: string): Promise<ControlResult>
  /** The next 20 ms of theirs; null: nothing arrived. */
  take(): Int16Array | null
  remoteAnswer(sdp: string): void
  /** What the network says, where the signalling is elsewhere. */
  remoteState(state: 'ringing' | 'accepted'): void
  /** Ends it, and tells the other side why if it can. */
  hangUp(reason: EndReason): void
  counts(): Pick<MediaCounts, 'framesIn' | 'framesLost'>
}
