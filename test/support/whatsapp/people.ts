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

/** How a person's phone behaves towards what arrives on it. */
export interface Habits {
  /** Without a network nothing arrives; all of it does, in order, once the phone is back. Default: true. */
  readonly isOnline: boolean
  /** Which receipts it sends. Default: `read`, which includes `delivered`. */
  readonly receipts: 'read' | 'delivered' | 'none'
  /** From the arrival to the delivery receipt, and from there to the read receipt. */
  readonly deliveredAfterMs: number
  readonly readAfterMs: number
  /** Sends every receipt twice. */
  readonly repeatsReceipts: boolean
  /**
   * `lid`: what this person says shows the hidden id, and the number beside it; `lid_only`: nothing else. `number_only`:
   * the number and nothing else, and the directory names no hidden id either.
   */
  readonly shows: 'number' | 'lid' | 'lid_only' | 'number_only'
  /** Shown beside messages. */
  readonly name: string
  /** The text about them. Default: none. */
  readonly about?: string
  /** Shows it only to accounts that have its privacy token, and show that. Default: to everybody. */
  readonly aboutFor?: 'trusted'
  /** Where their picture is. Default: there is none. */
  readonly picture?: { readonly url: string } | 'hidden'
  /** Has a business profile. Default: false. */
  readonly isBusiness?: boolean
  /**
   * What it scans QR codes with. The first scan of a client by `camera` fails: the client is told to draw its code
   * again, and only the new one links. Default: `app`.
   */
  readonly scansWith: 'app' | 'camera'
  /** By which name the client is told so. Default: `companion_reg_refresh`. */
  readonly refreshTag: RefreshTag
  /**
   * Whether a client has to show the passkey of the account to be linked. `has`: there is one. `creates`: there is none
   * until the owner makes it. `refuses`: there is one, but the owner goes no further on the phone. Default: `none`,
   * clients are not asked.
   */
  readonly passkey: 'none' | 'has' | 'creates' | 'refuses'
  /** Waits until its owner has compared the code, even if the client proved that it was scanned. Default: false. */
  readonly compares: boolean
  /** Whether it sends what was said before when a client asks. Default: true. */
  readonly answersForHistory: boolean
}

export interface SayOptions {
  /** Id of the message that is answered. */
  readonly quoted?: string
  /** Sent some time ago. Default: now. */
  readonly atSeconds?: number
}

export interface NewChatLimit {
  readonly total: number
  readonly untilSeconds: number
}

interface SealedHow {
  readonly kind: keyof typeof SEALED_CHANGES
  /**
   * By which of its addresses the phone names itself as the author of the message, and of the change. `theirs`: it names
   * whoever really wrote the message.
   */
  readonly author: 'number' | 'lid' | 'theirs'
  readonly by: 'number' | 'lid'
}

/** A person with a phone, as the real network has them: an account, keys, and perhaps linked devices. */
export interface Phone {
  readonly number: string
  /** The account's hidden id, without `@lid`. */
  readonly lid: string
  /** Clients linked to this account, oldest first; removed ones are gone. */
  readonly linked: readonly LinkedDevice[]
  /** The client that was linked last. @throws when there is none. */
  readonly device: LinkedDevice
  behave(habits: Partial<Habits>): void
  go(isOnline: boolean): void

  /** The newest passkey of the account. @throws when there is none. */
  readonly passkey: Passkey
  /** The owner makes a passkey, the first or another one. */
  createPasskey(): Passkey

  /** Scans the text of a QR code. @returns the client, once it has answered with a valid signature. */
  scan(qr: string, how?: { readonly tamper?: 'hmac' | 'account_signature' }): Promise<LinkedDevice>
  /** Types the code a client shows. */
  enter(code: string): Promise<LinkedDevice>

  /** What arrived, each message once, in the order of arrival. */
  received(from?: string): readonly Arrived[]
  /** What linked devices of this very account sent: the phone shows it as its own. */
  readonly copies: readonly Arrived[]
  /** Receipts that came for a message this phone sent, in order: `delivered`, `inactive`, `read`, … */
  receiptsOf(id: string): readonly string[]
  /** How many messages could not be read at first, so that they were asked for again. */
  readonly unread: number

  /** @param to a number, or the id of a group. @returns the id of the message. */
  say(to: string, words: string, options?: SayOptions): Promise<string>
  sendFile(to: string, file: FileToSend, options?: SayOptions): Promise<string>
  send(to: string, content: proto.IMessage, options?: SayOptions): Promise<string>
  edit(id: string, words: string): Promise<string>
  /** Changes a message, sealed with its secret. */
  editSealed(id: string, content: proto.IMessage, how: SealedHow): Promise<string>
  remove(id: string): Promise<string>
  /**
   * New messages of the chat disappear after this time from now on, whoever writes them.
   * @param to a number, or the id of a group. @param seconds 0: they stay.
   */
  disappear(to: string, seconds: number): Promise<void>
  /** After which time messages of the chat with this number disappear, as this phone knows it; 0: they stay. */
  timerOf(number: string): number
  /** @param emoji '' takes it back. */
  react(id: string, emoji: string): Promise<string>
  /** @param choices of the poll's options; none takes the vote back. */
  vote(pollId: string, choices: readonly string[]): Promise<string>
  /**
   * Writes after a click on an advertisement: the linked devices of whoever gets it see a message without content at
   * first, and have to ask their own phone for it.
   */
  clickAd(to: string, words: string, ad: Advertisement): Promise<string>
  /**
   * Says something that the linked devices of whoever gets it do not see at all.
   * @param why the network's word for it, such as `view_once`.
   */
  withhold(to: string, content: proto.IMessage, why: string): Promise<string>
  /** Rings. @returns the id of the call. */
  call(to: string): string
  hangUp(callId: string): void

  /** Sends one receipt for many messages, whatever the habits are. */
  confirm(ids: readonly string[], as: 'delivered' | 'read' | 'played'): void
  /** Puts what was said most recently on the wire again, as a server does that missed the receipt. */
  repeat(id: string): void
  /** The phone was reinstalled: it cannot read what comes under the old sessions. */
  loseSessions(): void
  /** Gives whoever this is a privacy token for this person. */
  trust(number: string): void
  /** New chats are refused (463) until then; null ends it. */
  restrict(untilSeconds: number | null): void
  /** From now on this many people may be written to first until then; more are refused (463). null: as many as wanted. */
  limitNewChats(limit: NewChatLimit | null): void

  /** The text about its owner. */
  readonly about: string | null
  /** Numbers of people whom its owner has blocked. */
  readonly blocked: readonly string[]
  /** What its owner has set, on the phone and on all that is linked to it. */
  readonly appState: AppState
}

/** A message as it reaches a phone from a linked device. */
export interface Envelope {
  readonly id: string
  readonly from: DeviceInside
  /** Address the receipts name as where they come from. */
  readonly as: string
  readonly group: GroupInside | undefined
  /** The other person of the chat; for the copy on the sender's own phone whoever it was sent to. */
  readonly peer: string
  readonly sealed: readonly (Omit<Sealed, 'type'> & { readonly type: Sealed['type'] | 'skmsg' })[]
  readonly isPeerMessage: boolean
}

/** The same person, for those who run the network. */
export interface PhoneInside extends Phone {
  about: string | null
  readonly blocked: string[]
  readonly habits: Habits
  readonly appState: AppStateInside
  readonly signal: SignalEnd
  readonly devices: DeviceInside[]
  readonly passkeys: readonly Passkey[]
  readonly known: Map<string, Known>
  /** People who have written to this one, and so may be answered even while new chats are refused. */
  readonly writers: Set<string>
  readonly restrictedUntil: number | null
  /** How many new chats the account may start, as the network describes it. */
  readonly newChatCap: Readonly<Record<string, unknown>>
  /** @returns whether the account may write to this person, who has not written to it. Counts them if so. */
  startsChatWith(number: string): boolean
  /** Every device number that was ever given out. */
  readonly places: number[]
  link(device: DeviceInside): void
  unlink(device: DeviceInside): void
  take(envelope: Envelope): void
  /** Another phone said something to this one. */
  hear(id: string, from: PhoneInside, group: GroupInside | undefined, said: Pick<Known, 'content' | 'atSeconds'>): void
  noteReceipt(id: string, type: string): void
  /** A linked device asks for a message it could not read. */
  sayAgain(device: DeviceInside, id: string, bundle: Bundle | undefined, count: number): void
  /** What a phone tells a client that was just linked to it. */
  welcome(device: DeviceInside): void
}

/** What the parts of a phone share. */
export interface PhoneCore extends Pick<PhoneInside, 'number' | 'lid' | 'signal' | 'devices' | 'known' | 'writers'> {
  readonly timers: ChatTimers
  habits: Habits
  /** A phone does one thing after another: sessions are not safe to use twice at once. */
  inTurn<T>(act: () => Promise<T>): Promise<T>
}

/** What a phone finds around itself. */
export interface Surroundings {
  readonly cdn: Cdn
  /** Everybody has a phone: one that nobody made is made when it is needed. */
  phone(number: string): PhoneInside
  group(id: string): GroupInside | undefined
  /** Changes the timer of a group, which its members are told. */
  setTimer(group: GroupInside, by: PhoneInside, seconds: number): void
  /** Runs later, unless the network is closed before. */
  later(ms: number, act: () => void): void
}
