import type { MessageContent } from '../../contract/message-content.ts'
import type { MediaType } from '../../contract/shapes.ts'
import type { Price } from '../price.ts'
import type { Forwarded } from '../received.ts'
import type { CloudCallEvent } from './calling.ts'
import type { GraphError } from './errors.ts'
import type { Json } from './json.ts'
import type { NoticeField } from './notices.ts'

/** A person as Meta identifies them: by number, by Meta's user id, or both. At least one is known. */
export interface Person {
  readonly number: string | null
  readonly userId: string | null
}

export interface ReceivedMedia {
  readonly id: string
  readonly mimeType: string
  readonly filename: string | null
  readonly caption: string | null
}

export interface Said {
  /** Meta's id of the message. */
  readonly id: string
  /** The other person: the sender, or for an echo the recipient. */
  readonly person: Person
  /** The group the message belongs to. */
  readonly group: string | null
  /** Typed on the phone of this number. */
  readonly isEcho: boolean
  readonly atMs: number
}

export type SaidMessage = Said & {
  readonly kind: 'message'
  readonly type: ReceivedType
  readonly text: string
  readonly pushName: string | null
  readonly media: ReceivedMedia | null
  readonly quoted: string | null
  readonly forwarded: Forwarded | null
  readonly referral: Json | null
  readonly content: MessageContent | null
}

/** One item of a callback about a number. */
export type Item =
  | {
      readonly kind: 'status'
      readonly id: string
      readonly opaque: string | null
      readonly status: 'sent' | 'delivered' | 'read'
      readonly atMs: number
      readonly recipient: string | null
      readonly price: Price | null
    }
  | {
      readonly kind: 'failed'
      readonly id: string
      readonly opaque: string | null
      readonly error: GraphError
      readonly atMs: number
    }
  /** Concerns the number or its account, not a message. */
  | { readonly kind: 'number_error'; readonly error: GraphError; readonly atMs: number }
  | SaidMessage
  | ({ readonly kind: 'edited'; readonly target: string; readonly text: string } & Said)
  | ({ readonly kind: 'deleted'; readonly target: string } & Said)
  | ({ readonly kind: 'reaction'; readonly target: string; readonly emoji: string } & Said)
  /** A number and an id that belong to one person. */
  | { readonly kind: 'known'; readonly number: string; readonly userId: string }
  /** The username that a person has chosen. */
  | { readonly kind: 'username'; readonly person: Person; readonly username: string }
  /** A person changed their number, and with it their user id. Before and after, at least one of the two is known. */
  | { readonly kind: 'changed'; readonly before: Person; readonly after: Person }
  | { readonly kind: 'call'; readonly event: CloudCallEvent; readonly atMs: number }
  /** A person turned marketing messages from the number off or on. */
  | { readonly kind: 'marketing'; readonly person: Person; readonly wants: boolean; readonly atMs: number }
  | { readonly kind: 'quality'; readonly value: Json; readonly atMs: number }
  | { readonly kind: 'capability'; readonly value: Json; readonly atMs: number }
  | { readonly kind: 'account'; readonly value: Json; readonly atMs: number }
  | { readonly kind: 'template'; readonly field: TemplateField; readonly value: Json; readonly atMs: number }
  /** Control of the chat passed to Meta Business Agent, or back to Switchboard. */
  | { readonly kind: 'handover'; readonly person: Person; readonly to: 'network_agent' | 'us'; readonly atMs: number }
  /** The outcome of a change to a group, or news about the group. */
  | { readonly kind: 'group'; readonly type: string; readonly value: Json; readonly atMs: number }
  /** Messages of one chat from before the number was connected. */
  | { readonly kind: 'past'; readonly messages: readonly SaidMessage[] }
  /** Names in the address book of the phone. */
  | { readonly kind: 'address_book'; readonly people: readonly { readonly phone: string; readonly name: string }[] }
  /** A notice for the account's users to read. */
  | { readonly kind: 'notice'; readonly field: NoticeField; readonly value: Json; readonly atMs: number }

type TemplateField = (typeof TEMPLATE_FIELDS)[number]

export type ReceivedType = 'text' | MediaType | 'sticker' | 'location' | 'contact' | 'unavailable'

export const TEMPLATE_FIELDS = [
  'message_template_status_update',
  'message_template_quality_update',
  'template_category_update',
  'message_template_components_update',
] as const
