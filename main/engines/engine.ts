import type { HealthIssueCode } from '../contract/health-issue-codes.ts'
import type { PasskeyCredential } from '../contract/instance.ts'
import type { LineEvent } from '../contract/line-events.ts'
import type { MessageContent } from '../contract/message-content.ts'
import type { MediaType, MessageErrorShape } from '../contract/shapes.ts'
import type { Tx } from '../kernel/db.ts'
import type { FileContent } from '../kernel/file-content.ts'
import type { AccountId, InstanceId, MessageId } from '../kernel/ids.ts'
import type { DirectActs, MessageRef, ReceivedFile } from './direct.ts'
import type { ApiVersionControl } from './api-version.ts'
import type { ContactBook } from './contact-book.ts'
import type { Templates, TemplateSuspension } from './templates.ts'
import type { ConversationalSettings } from './conversational-components.ts'
import type { Usernames } from './usernames.ts'
import type { HistorySource } from './history.ts'
import type { EngineInstance } from './instance.ts'
import type { LineControl } from './line-settings.ts'
import type { Billing } from './price.ts'
import type { MessageOrigin, ReceivedSignal } from './received.ts'

export type { EngineInstance } from './instance.ts'
export type { MessageOrigin } from './received.ts'

/** What a file is sent as. */
export type FileType = MediaType | 'sticker'

/** The card under a text that leads somewhere. */
interface LinkPreview {
  readonly url: string
  readonly title: string | null
  readonly description: string | null
  /** JPEG of the page's own picture. */
  readonly picture?: Buffer
}

export interface ContactCard {
  readonly name: string
  readonly number: string
}

/** What a message answers, as much of it as is kept here. Phones that have it themselves need no more than its id. */
export interface Quoted extends MessageRef {
  readonly type: string
  readonly text: string
}

/** The message itself, apart from what it answers. */
export type OutgoingContent =
  | { readonly kind: 'text'; readonly to: string; readonly text: string; readonly preview?: LinkPreview }
  | {
      readonly kind: 'media'
      readonly to: string
      readonly mediaType: FileType
      readonly mimeType: string
      /** Can be read until the send has settled. */
      readonly content: FileContent
      readonly caption: string | null
      readonly filename: string | null
      /** A video that is played in a loop, without sound. */
      readonly isGif?: boolean
      /** Sound in the form of kernel/voice-note.ts, to be shown as a voice note. */
      readonly isVoice?: boolean
      /** How loud a voice note is over time: 64 values from 0 to 100. */
      readonly loudness?: Buffer
    }
  | {
      readonly kind: 'location'
      readonly to: string
      readonly latitude: number
      readonly longitude: number
      readonly name: string | null
      readonly address: string | null
    }
  | {
      readonly kind: 'contact'
      readonly to: string
      readonly name: string
      readonly number: string
      /** More of them in the same message. */
      readonly others?: readonly ContactCard[]
    }
  | {
      readonly kind: 'poll'
      readonly to: string
      readonly question: string
      readonly options: readonly string[]
      /** How many options one person may choose. */
      readonly maxChoices: number
    }

/** A message that is passed on, marked as forwarded. Engines use their own copy of it; the rest is what is kept of it. */
export interface ForwardedMessage {
  readonly kind: 'forward'
  readonly to: string
  readonly original: MessageRef
  readonly type: string
  readonly text: string
  /** Of the file it was received with. */
  readonly mediaId: string | null
  /** What it is besides text and file. */
  readonly details: MessageContent | null
  /** It had been forwarded many times when it was received. */
  readonly isFrequent?: boolean
}

/**
 * A message on its way out. Every engine takes text and media, and shows what they answer; stickers, places, contacts
 * and polls are smv2's, raw payloads official's. A preview is an ornament: an engine that cannot show it sends the text.
 */
export type Outgoing =
  | (OutgoingContent & {
      readonly quoted?: Quoted
      /** Numbers of members that the text or caption names as `@number`; in groups only. */
      readonly mentions?: readonly string[]
    })
  | ForwardedMessage
  /** The raw payload of the Cloud API, passed on as it came (official only). It says itself what it answers. */
  | { readonly kind: 'cloud_api'; readonly to: string; readonly payload: object }

/** The network took the message (server ack on smv2, HTTP 200 with an id on official). */
export interface Accepted {
  readonly engineMessageId: string
  /** `sent` when the acceptance already is the confirmation; otherwise a receipt follows. */
  readonly status: 'queued' | 'sent'
  /** The network keeps it until it knows how people react to its template; then it delivers the message, or reports a failure. */
  readonly isHeld?: boolean
  /** The network drops it if it is not delivered by then, and reports nothing. */
  readonly validUntilMs?: number | null
  /** What the engine must remember of this message, written in the same commit as the result. */
  readonly journal?: (tx: Tx) => Promise<void>
  /** Called once the result is stored, or will never be. */
  readonly settled?: () => void
}

export type SendOutcome =
  | ({ readonly kind: 'accepted' } & Accepted)
  /** Refused for good, for the recipient or the account: row `failed`, the key is kept (201 with sent:false). */
  | { readonly kind: 'refused'; readonly error: MessageErrorShape; readonly journal?: (tx: Tx) => Promise<void> }
  /**
   * The request itself is wrong: 400, no row, the key is released.
   * With `template` it names a template that nobody can be sent now.
   */
  | {
      readonly kind: 'invalid'
      readonly message: string
      readonly template?: 'paused' | 'disabled' | 'missing'
      /** When the network ends the pause; null or absent: it has not said. */
      readonly pausedUntilMs?: number | null
    }
  /** The instance cannot send now (link down, token dead): 409 not_ready, nothing stored. */
  | { readonly kind: 'not_ready'; readonly message: string; readonly held?: Hold['reason'] }
  /**
   * It is certain that no byte of the message left: 502, key released.
   * With `retryAfterSeconds` the network throttles this number: 429 rate_limited instead. With `throttles` whoever sends
   * decides how long to hold back, for it knows how often this has happened in a row.
   */
  | {
      readonly kind: 'nothing_sent'
      readonly message: string
      readonly retryAfterSeconds?: number
      readonly throttles?: ThrottleScope
      /** The network's own code. */
      readonly providerCode?: number
    }
  /** Everything else, silence included: 504, the row stays queued and is never sent again. */
  | { readonly kind: 'unknown'; readonly message: string }

/** What a sender gives an engine along with a message. */
export interface Departure {
  /** Aborts after the send deadline. */
  readonly signal: AbortSignal
  /**
   * Marks the message as one that may have left. The engine calls it in a commit of its own, before the first byte of
   * the message can leave: a message without the mark is sent again after a crash, one with it never is.
   */
  leave(tx: Tx): Promise<void>
}

/** What a network holds back: everything this number sends, or what it sends to one person. */
export type ThrottleScope = 'number' | 'pair'

/** How fast a network accepts messages. Senders keep to it; a full bucket delays and does not fail. */
export interface Pace {
  readonly perSecond: number
  /** To one person: one message in `everyMs`, of which `burst` may be taken in advance. */
  readonly toOne: { readonly everyMs: number; readonly burst: number } | null
}

/** Where pairing stands. Never empty: without a code it says why. */
export interface QrState {
  readonly state: 'pending' | 'ready' | 'expired' | 'connected' | 'passkey_required'
  /** The text the phone scans. */
  readonly text: string | null
  readonly pairingCode: string | null
  readonly expiresAtMs: number | null
  readonly attempt: number
  /** While the account's passkey is asked for. */
  readonly passkey?: PasskeyState
}

/** Progress of the confirmation with a passkey. Kept in memory only, and never part of an event. */
export interface PasskeyState {
  readonly step: 'sign' | 'phone' | 'compare' | 'finishing'
  /** What the browser is asked, once the network has sent it; WebAuthn request options as JSON. */
  readonly options: PasskeyOptions | null
  readonly deadlineMs: number
  /** What the phone must show too. */
  readonly code: string | null
  /** Counts how often the network asked. */
  readonly attempt: number
}

export interface PasskeyOptions {
  readonly challenge: string
  readonly [name: string]: unknown
}

/** Why the confirmation with a passkey came to nothing; an engine starts again only when asked. */
export type PasskeyFailure =
  /** Nobody answered in time; somebody cancelled. */
  | 'expired'
  /** The network refused an answer, or asked for something else than is known. */
  | 'refused'
  | 'phone_silent'
  /** The codes differ. */
  | 'differs'
  | 'connection_lost'
  /** Too many tries in an hour. */
  | 'too_often'

/**
 * Why a number sends nothing for campaigns and agents at the moment. Messages of people and programs are still tried: the
 * first one that goes through ends the hold.
 */
export interface Hold {
  readonly reason: 'payment' | 'spam' | 'policy' | 'display_name' | 'registration' | 'pin'
  readonly sinceMs: number
  /** When it is tried again; null: after a message has gone through, or a person has asked to try again. */
  readonly untilMs: number | null
}

/** The business at Meta that a number belongs to. Its numbers share one limit of people they reach in 24 hours. */
export interface Portfolio {
  /** The same for all numbers of the portfolio. */
  readonly key: string
  /** Meta's id of it; null: Meta does not say, then the numbers of one WhatsApp account are taken together. */
  readonly id: string | null
  /** null: Meta has never said. */
  readonly limit: {
    /** `TIER_250`, `TIER_2K` … `TIER_UNLIMITED`. */
    readonly tier: string
    /** `last_known`: Meta's latest answer does not say. */
    readonly source: 'number' | 'callback' | 'last_known'
    readonly atMs: number
  } | null
}

/** What an engine knows of a link without asking the network; unknown is null. */
export interface Evidence {
  readonly reachable: boolean
  readonly lastSeenAtMs: number | null
  readonly latencyMs: number | null
  readonly restriction: {
    readonly kind: string
    readonly untilMs: number | null
    readonly sinceMs: number
    /** Default: new chats only. */
    readonly stops?: 'new_chats' | 'replies'
  } | null
  readonly quality: { readonly rating: string; readonly messagingLimit: string; readonly accountMode: string } | null
  /** smv2 only: chats with new people, as WhatsApp counts them. Used up, they are a restriction too. */
  readonly newChats?: { readonly used: number; readonly limit: number; readonly endsAtMs: number } | null
  /** official only. */
  readonly portfolio?: Portfolio | null
  readonly hold?: Hold | null
  readonly utilitySuspension?: TemplateSuspension | null
  /** Problems that only this engine can detect, as sentences for the operator. */
  readonly issues?: readonly EngineIssue[]
}

export interface EngineIssue {
  readonly code: HealthIssueCode
  readonly message: string
  readonly sinceMs: number | null
  readonly facts?: IssueFacts
}

/** What an issue is about; described by the fields of `HealthIssue` in the API. */
export interface IssueFacts {
  readonly untilMs?: number | null
  readonly nextRetryAtMs?: number | null
  readonly kind?: string
  readonly reason?: string
  readonly username?: string
  readonly groupIds?: readonly string[]
  readonly fields?: readonly string[]
  readonly requesterId?: string
  readonly graphVersion?: string
  readonly providerCode?: number
  readonly providerMessage?: string
  readonly count?: number
  readonly limit?: number
}

/** What an engine reports. The sink resolves once it is durable; an engine forgets a signal only then. */
export type EngineSignal =
  | { readonly kind: 'qr'; readonly attempt: number; readonly expiresAtMs: number }
  | { readonly kind: 'qr_expired' }
  /** Repeated with every further step. */
  | { readonly kind: 'passkey_required' }
  /** The phone has linked the device; it connects next. */
  | { readonly kind: 'passkey_accepted' }
  | { readonly kind: 'passkey_failed'; readonly reason: PasskeyFailure; readonly code: number | null }
  | { readonly kind: 'connected'; readonly number: string; readonly name: string | null }
  | {
      readonly kind: 'link_lost'
      /** `client_outdated` and `replaced`, for which the engine waits long, or what else it knows of the cause. */
      readonly reason: string
      readonly code: number | null
      readonly nextRetryAtMs: number | null
    }
  /** The link is down although its session is still there, and only a start brings it back. */
  | {
      readonly kind: 'link_ended'
      /** The network refuses the session's keys. */
      readonly reason: 'bad_session'
      readonly code: number | null
    }
  | {
      readonly kind: 'auth_failed'
      readonly reason: 'logged_out' | 'banned' | 'temporary_ban' | 'token_revoked'
      readonly code: number | null
      readonly untilMs: number | null
    }
  | {
      readonly kind: 'receipt'
      /** null: the network names the message by its own id alone. */
      readonly messageId: MessageId | null
      readonly status: 'sent' | 'delivered' | 'read'
      readonly atMs: number
      /** Known when the answer to the send was lost. */
      readonly engineMessageId?: string
      /** Of a number that is billed by its network. */
      readonly billing?: Billing
    }
  | {
      readonly kind: 'failed'
      readonly messageId: MessageId | null
      readonly error: MessageErrorShape
      readonly atMs: number
      readonly engineMessageId?: string
    }
  /** Somebody who was known by a hidden id has shown their number: the two are one contact from now on. */
  | { readonly kind: 'contact'; readonly hiddenId: string; readonly number: string }
  /** Somebody has another number now. Each is digits, or a hidden id where the number is not shown. */
  | { readonly kind: 'number_changed'; readonly before: string; readonly after: string }
  /** Somebody turned marketing messages of this number off or on, in their app (official only). */
  | { readonly kind: 'marketing'; readonly person: string; readonly wants: boolean; readonly atMs: number }
  /**
   * The network changed a message template of the account behind this number (official only).
   * `use`: whether messages with it are taken from now on; null: that has not changed.
   */
  | {
      readonly kind: 'template'
      /** null: the network names it in another way, or not at all. */
      readonly template: { readonly name: string; readonly language: string } | null
      readonly use: 'usable' | 'paused' | 'disabled' | null
      /** When the network ends the pause; null: it has not said. */
      readonly untilMs: number | null
    }
  /** Another agent of the network answers the chat, or no longer does (official only): Meta Business Agent. */
  | { readonly kind: 'handover'; readonly chat: string; readonly to: 'network_agent' | 'us'; readonly atMs: number }
  /** The name that a person has chosen, without the @. They may choose another one. */
  | { readonly kind: 'username'; readonly person: string; readonly username: string }
  | ReceivedSignal
  /**
   * Messages from before the number was connected. They cause no events. One with an empty chat only describes the file
   * of an earlier message.
   */
  | { readonly kind: 'past'; readonly messages: readonly ReceivedSignal[] }
  /** Names that the owner of the number gave people in the address book of the phone. */
  | {
      readonly kind: 'address_book'
      /** Digits. */
      readonly people: readonly { readonly phone: string; readonly name: string }[]
    }
  /** For the webhook of the instance: calls, groups, presence, contacts. */
  | { readonly kind: 'line_event'; readonly event: LineEvent }
  /** Somebody's vote in the poll with this engineMessageId. Every vote has all options chosen now. */
  | ({ readonly kind: 'vote'; readonly options: readonly string[] } & MessageOrigin)
  /** A file that was pending can be downloaded. */
  | {
      readonly kind: 'media_arrived'
      readonly engineMessageId: string
      readonly mediaId: string
      readonly size: number
    }
  | ({ readonly kind: 'edited'; readonly text: string } & MessageOrigin)
  | ({ readonly kind: 'deleted'; readonly deletedBy: string } & MessageOrigin)
  | ({ readonly kind: 'reaction'; readonly emoji: string } & MessageOrigin)

export type EngineSink = (instanceId: InstanceId, signal: EngineSignal) => Promise<void>

/** A session by file name: `creds.json` and a file for each key, as the open-source client library keeps them. */
export type SessionFiles = Readonly<Record<string, string>>

/**
 * A way to a messaging network. Adapters keep their library's types to themselves; whatever happens to a send ends
 * in exactly one SendOutcome.
 */
export interface Engine {
  /** Begins pairing, or takes up a stored session; progress comes as signals. Starting twice is harmless. */
  start(instance: EngineInstance): Promise<void>
  /**
   * At start of the service, before it listens: takes up a stored session.
   * @returns the link at this moment; `connected` only when it is usable already.
   */
  resume(instance: EngineInstance): Promise<'connected' | 'connecting' | 'no_session'>
  /** Ends the hold because a person asked to try again. */
  readonly endHold?: (tx: Tx, id: InstanceId) => Promise<void>
  /** Ends the link, keeps the session. */
  stop(instance: EngineInstance): Promise<void>
  /** Signs the device out on the network, then discards the session. */
  logout(instance: EngineInstance): Promise<void>
  /** In the commit in which the instance gets another account. Its link stays as it is. */
  rehome?(tx: Tx, id: InstanceId, accountId: AccountId): Promise<void>
  /** Discards session, media and caches without talking to the network. */
  wipe(instance: EngineInstance): Promise<void>
  /** smv2 only. */
  readonly pairing?: {
    current(instance: EngineInstance): Promise<QrState>
    /** Asks for a code a person types into the phone with this number. */
    code(instance: EngineInstance, phone: string): Promise<QrState>
    refresh(instance: EngineInstance): Promise<QrState>
    /** Absent: it cannot link accounts that ask for a passkey. All of these throw an ApiError for what is refused. */
    readonly passkey?: {
      /** @param credential of the browser: a secret, kept in memory and passed on once. */
      respond(instance: EngineInstance, answer: { attempt: number; credential: PasskeyCredential }): Promise<QrState>
      /** @param match whether the phone shows the same code. */
      confirm(instance: EngineInstance, answer: { attempt: number; match: boolean }): Promise<QrState>
    }
  }
  /** smv2 only: sessions that were made elsewhere, or go elsewhere. The link of the instance must be down. */
  readonly sessions?: {
    /**
     * `store` takes the session up in the caller's commit; the next start connects with it.
     * @throws ApiError validation_error if the files are not the whole session of a paired phone.
     */
    read(instance: EngineInstance, files: SessionFiles): Promise<{ number: string; store(tx: Tx): Promise<void> }>
    /** @returns undefined if the instance is not paired. */
    export(instance: EngineInstance): Promise<SessionFiles | undefined>
  }
  /** official only: the token of the page that completes onboarding; `onboarding_url` ends with it. */
  readonly onboarding?: {
    token(instance: EngineInstance): Promise<string | null>
    /** The page stops opening; the next `token` is a new one. */
    renew(tx: Tx, id: InstanceId): Promise<void>
  }
  /** The outcome is `unknown` unless the network answered, or it is certain that nothing left. */
  send(instance: EngineInstance, messageId: MessageId, out: Outgoing, departure: Departure): Promise<SendOutcome>
  /** How fast this instance may send; absent or null: as fast as it can. */
  readonly pace?: (instance: EngineInstance) => Pace | null
  /** Seconds until a message to `to` could leave, when that is longer than a send may wait; null: it may be sent now. */
  readonly retryAfterSeconds?: (instance: EngineInstance, to: string) => number | null
  /** What became of a message whose outcome is unknown. `never_arrived` is proof; the caller knows when to trust it. */
  find(instance: EngineInstance, messageId: MessageId): Promise<'arrived' | 'never_arrived' | 'cannot_tell'>
  /** smv2 on the live network only. */
  readonly lines?: LineControl
  /** smv2 on the live network only. */
  readonly history?: HistorySource
  /** It adds people to groups without asking them, who then count as first contacts. */
  readonly addsToGroups?: true
  /** What it can do besides sending, for direct calls. */
  readonly direct?: Partial<DirectActs>
  /**
   * A file that came with a received message, by `media.id` of the event. One that is pending is fetched now.
   * @returns null when it is not (or no longer) there.
   */
  readonly media?: (instance: EngineInstance, mediaId: string) => Promise<ReceivedFile | null>
  /** official only: what Meta keeps of people for a number. */
  readonly contactBook?: ContactBook
  /** official only: the message templates of the account behind the number. */
  readonly templates?: Templates
  /** official only: by what name people find the number. */
  readonly usernames?: Usernames
  /** official only: what people are offered to write. */
  readonly conversational?: ConversationalSettings
  /** official on the live network only. */
  readonly apiVersion?: ApiVersionControl
  /** The number as its network bills it, as in the `billing` of its receipts; null: it has none. */
  readonly billedNumber?: (id: InstanceId) => string | null
  evidence(instance: EngineInstance): Evidence
  /** Takes up timers and pending work of before a restart; called once, after every resume. */
  begin(): Promise<void>
  /** Stops timers; nothing is lost. */
  close(): Promise<void>
}
