import type { EndReason } from '../contract/voice.ts'
import type { MediaCounts } from './protocol.ts'

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
  /** Presses a key of a telephone. @returns false: the other side takes none, or this way has none. */
  sendDigit?(digit: string): boolean
  /** The next 20 ms of theirs; null: nothing arrived. */
  take(): Int16Array | null
  remoteAnswer(sdp: string): void
  /** What the network says, where the signalling is elsewhere. */
  remoteState(state: 'ringing' | 'accepted'): void
  /** Ends it, and tells the other side why if it can. */
  hangUp(reason: EndReason): void
  counts(): Pick<MediaCounts, 'framesIn' | 'framesLost'>
}
