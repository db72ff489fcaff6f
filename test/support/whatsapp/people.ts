import type { proto } from 'baileys'
import type { RefreshTag } from './applicant.ts'
import type { AppState, AppStateInside } from './app-state.ts'
import type { Arrived } from './arrivals.ts'
import type { GroupInside } from './groups.ts'
import type { DeviceInside, LinkedDevice } from './linked-device.ts'
import type { Cdn } from './media.ts'
import type { SEALED_CHANGES } from './message-secret.ts'
import type { Bundle, Sealed, SignalEnd } from './signal.ts'
import type { ChatTimers } from './chat-timers.ts'
import type { Advertisement, FileToSend, Known } from './speech.ts'
import type { Passkey } from './webauthn.ts'

/** How a phone behaves. */
export interface Habits {
  /**
   * While the phone is offline, nothing arrives; when it is online again, everything arrives in order. Default: true.
   */
  readonly isOnline: boolean
  /** The receipts that it sends. Default: `read`, which includes `delivered`. */
  readonly receipts: 'read' | 'delivered' | 'none'
  /** The times from the arrival to the delivery receipt, and from that to the read receipt. */
  readonly deliveredAfterMs: number
  readonly readAfterMs: number
  /** Sends every receipt twice. */
  readonly repeatsReceipts: boolean
  /**
   * `lid`: messages of this person contain the hidden id and the phone number; `lid_only`: only the hidden id;
   * `number_only`: only the number, and the directory returns no hidden id either.
   */
  readonly shows: 'number' | 'lid' | 'lid_only' | 'number_only'
  /** The name that is shown with messages. */
  readonly name: string
  /** The "about" text. Default: none. */
  readonly about?: string
  /** Shows it only to accounts that have this person's privacy token and send it. Default: to everybody. */
  readonly aboutFor?: 'trusted'
  /** The URL of the profile picture. Default: none. */
  readonly picture?: { readonly url: string } | 'hidden'
  /** Has a business profile. Default: false. */
  readonly isBusiness?: boolean
  /**
   * The app that scans QR codes. The first scan with `camera` fails: the client is told to create a new code, and
   * only the new one links. Default: `app`.
   */
  readonly scansWith: 'app' | 'camera'
  /** The name of the notification for this. Default: `companion_reg_refresh`. */
  readonly refreshTag: RefreshTag
  /**
   * Whether linking a client requires the passkey of the account. `has`: the account has one. `creates`: the owner
   * creates one later. `refuses`: it has one, but the owner stops on the phone. Default: `none`, no passkey is
   * required.
   */
  readonly passkey: 'none' | 'has' | 'creates' | 'refuses'
  /** Whether the owner must compare the code even if the client proved that it was scanned. Default: false. */
  readonly compares: boolean
  /** Whether the phone sends earlier messages when a client asks for them. Default: true. */
  readonly answersForHistory: boolean
}

export interface SayOptions {
  /** The id of the quoted message. */
  readonly quoted?: string
  /** The time at which it was sent. Default: now. */
  readonly atSeconds?: number
}

export interface NewChatLimit {
  readonly total: number
  readonly untilSeconds: number
}

interface SealedHow {
  readonly kind: keyof typeof SEALED_CHANGES
  /**
   * The address with which the phone names itself as the author of the message and of the change. `theirs`: it names
   * the real author of the message.
   */
  readonly author: 'number' | 'lid' | 'theirs'
  readonly by: 'number' | 'lid'
}

/** A person with a phone, as in the real network: an account, keys, and possibly linked devices. */
export interface Phone {
  readonly number: string
  /** The account's hidden id, without `@lid`. */
  readonly lid: string
  /** The linked clients of this account, oldest first, without removed ones. */
  readonly linked: readonly LinkedDevice[]
  /** The client that was linked last. @throws if there is none. */
  readonly device: LinkedDevice
  behave(habits: Partial<Habits>): void
  go(isOnline: boolean): void

  /** The newest passkey of the account. @throws if there is none. */
  readonly passkey: Passkey
  /** Creates the first or another passkey. */
  createPasskey(): Passkey

  /** Scans a QR code, given as its text. @returns the linked client, after it has answered with a valid signature. */
  scan(qr: string, how?: { readonly tamper?: 'hmac' | 'account_signature' }): Promise<LinkedDevice>
  /** Types the code a client shows. */
  enter(code: string): Promise<LinkedDevice>

  /** The received messages, each once, in order of arrival. */
  received(from?: string): readonly Arrived[]
  /** Messages that linked devices of this account sent; the phone shows them as its own. */
  readonly copies: readonly Arrived[]
  /** The receipts for a message of this phone, in order: `delivered`, `inactive`, `read`, … */
  receiptsOf(id: string): readonly string[]
  /** How many messages could not be read at first and were requested again. */
  readonly unread: number

  /** @param to a phone number or the id of a group. @returns the id of the message. */
  say(to: string, words: string, options?: SayOptions): Promise<string>
  sendFile(to: string, file: FileToSend, options?: SayOptions): Promise<string>
  send(to: string, content: proto.IMessage, options?: SayOptions): Promise<string>
  edit(id: string, words: string): Promise<string>
  /** Changes a message. The change is encrypted with the secret of the message. */
  editSealed(id: string, content: proto.IMessage, how: SealedHow): Promise<string>
  remove(id: string): Promise<string>
  /**
   * Sets after how long new messages of the chat disappear, for all authors.
   * @param to a phone number or the id of a group. @param seconds 0 turns the timer off.
   */
  disappear(to: string, seconds: number): Promise<void>
  /** After how long messages of the chat with this number disappear, from this phone's view; 0 if they do not. */
  timerOf(number: string): number
  /** @param emoji '' removes the reaction. */
  react(id: string, emoji: string): Promise<string>
  /** @param choices options of the poll; an empty list withdraws the vote. */
  vote(pollId: string, choices: readonly string[]): Promise<string>
  /**
   * Writes after a click on an advertisement. The linked devices of the recipient first get a message without
   * content, and must ask their own phone for it.
   */
  clickAd(to: string, words: string, ad: Advertisement): Promise<string>
  /**
   * Sends a message that the recipient's linked devices cannot see at all.
   * @param why the network's reason, such as `view_once`.
   */
  withhold(to: string, content: proto.IMessage, why: string): Promise<string>
  /** Starts a call. @returns the id of the call. */
  call(to: string): string
  hangUp(callId: string): void

  /** Sends one receipt for several messages, independent of the habits. */
  confirm(ids: readonly string[], as: 'delivered' | 'read' | 'played'): void
  /** Sends the latest message again, like a server that did not get the receipt. */
  repeat(id: string): void
  /** Simulates a reinstalled phone, which cannot read messages of earlier sessions. */
  loseSessions(): void
  /** Gives the person with this number a privacy token. */
  trust(number: string): void
  /** Refuses new chats with 463 until this time; null ends the restriction. */
  restrict(untilSeconds: number | null): void
  /**
   * Limits how many people may be written to first until this time. Further new chats are refused with 463. null
   * removes the limit.
   */
  limitNewChats(limit: NewChatLimit | null): void

  /** The "about" text of the owner. */
  readonly about: string | null
  /** The phone numbers that the owner has blocked. */
  readonly blocked: readonly string[]
  /** The settings of the owner, shared by the phone and all linked devices. */
  readonly appState: AppState
}

/** A message from a linked device on its way to a phone. */
export interface Envelope {
  readonly id: string
  readonly from: DeviceInside
  /** The address that receipts name as their sender. */
  readonly as: string
  readonly group: GroupInside | undefined
  /** The other person in the chat; for the copy on the sender's own phone, the recipient. */
  readonly peer: string
  readonly sealed: readonly (Omit<Sealed, 'type'> & { readonly type: Sealed['type'] | 'skmsg' })[]
  readonly isPeerMessage: boolean
}

/** Adds what only the simulated network uses. */
export interface PhoneInside extends Phone {
  about: string | null
  readonly blocked: string[]
  readonly habits: Habits
  readonly appState: AppStateInside
  readonly signal: SignalEnd
  readonly devices: DeviceInside[]
  readonly passkeys: readonly Passkey[]
  readonly known: Map<string, Known>
  /** People who have written to this person, and who may be answered even while new chats are refused. */
  readonly writers: Set<string>
  readonly restrictedUntil: number | null
  /** How many new chats the account may start, in the network's format. */
  readonly newChatCap: Readonly<Record<string, unknown>>
  /** @returns whether the account may write to this person, who has not written to it. An allowed chat is counted. */
  startsChatWith(number: string): boolean
  /** Every device number that was ever assigned. */
  readonly places: number[]
  link(device: DeviceInside): void
  unlink(device: DeviceInside): void
  take(envelope: Envelope): void
  /** Called when another phone has sent a message to this one. */
  hear(id: string, from: PhoneInside, group: GroupInside | undefined, said: Pick<Known, 'content' | 'atSeconds'>): void
  noteReceipt(id: string, type: string): void
  /** Called when a linked device asks for a message that it could not read. */
  sayAgain(device: DeviceInside, id: string, bundle: Bundle | undefined, count: number): void
  /** Sends what a phone sends to a newly linked client. */
  welcome(device: DeviceInside): void
}

/** The state that the parts of a phone share. */
export interface PhoneCore extends Pick<PhoneInside, 'number' | 'lid' | 'signal' | 'devices' | 'known' | 'writers'> {
  readonly timers: ChatTimers
  habits: Habits
  /** Runs one task after another, because sessions must not be used in parallel. */
  inTurn<T>(act: () => Promise<T>): Promise<T>
}

/** The surroundings of a phone. */
export interface Surroundings {
  readonly cdn: Cdn
  /** The phone with this number, which is created on the first call. */
  phone(number: string): PhoneInside
  group(id: string): GroupInside | undefined
  /** Changes the timer of a group and notifies its members. */
  setTimer(group: GroupInside, by: PhoneInside, seconds: number): void
  /** Runs `act` later, unless the network is closed before. */
  later(ms: number, act: () => void): void
}
