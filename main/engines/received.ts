import type { MessageContent } from '../contract/message-content.ts'
import type { MediaType } from '../contract/shapes.ts'

export interface MessageOrigin {
  readonly engineMessageId: string
  /** Digits, or the id of the group or channel. */
  readonly chat: string
  /** Digits, else the hidden id; in a channel its id. */
  readonly from: string
  readonly fromMe: boolean
  readonly atMs: number
}

/** What can be shown of a received file without opening it. */
export interface MediaPreview {
  readonly seconds: number | null
  /** Loudness over time: 64 values from 0 to 100. */
  readonly waveform: readonly number[] | null
  /** A small JPEG, base64. */
  readonly thumbnail: string | null
}

/** Marked as passed on from another chat; `frequently` through a chain of five chats or more. */
export type Forwarded = 'forwarded' | 'frequently'

/** Somebody said something. */
export type ReceivedSignal = {
  readonly kind: 'received'
  readonly type: 'text' | MediaType | 'sticker' | 'location' | 'contact' | 'poll' | 'unavailable'
  readonly text: string
  /** More than one person reads along: a group or a channel. */
  readonly isGroup: boolean
  readonly pushName: string | null
  readonly media: {
    readonly id: string
    readonly mimeType: string
    readonly size: number
    readonly filename: string | null
    readonly caption: string | null
    /** The file is not there yet; `size` is what its sender says. `media_arrived` follows, or nothing. */
    readonly pending?: true
    readonly preview?: MediaPreview
  } | null
  readonly quotedEngineMessageId: string | null
  readonly participant: string | null
  readonly referral: Record<string, unknown> | null
  readonly fromLid: string | null
  /** What it is besides text and file. */
  readonly content?: MessageContent | null
  readonly viewOnce?: boolean
  readonly forwarded?: Forwarded | null
} & MessageOrigin
