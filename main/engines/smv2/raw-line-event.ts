import type { BaileysEventMap, Contact, GroupMetadata, WACallEvent } from 'baileys'

/** As the library reports it. */
export type RawLineEvent =
  | { readonly kind: 'call'; readonly call: WACallEvent }
  | { readonly kind: 'joined'; readonly group: GroupMetadata }
  | { readonly kind: 'group'; readonly update: Partial<GroupMetadata> }
  | { readonly kind: 'participants'; readonly change: BaileysEventMap['group-participants.update'] }
  | JoinRequestChange
  | { readonly kind: 'presence'; readonly update: BaileysEventMap['presence.update'] }
  | { readonly kind: 'contact'; readonly contact: Partial<Contact> }
  /** Who did the next thing in a group: the library keeps the hidden id alone. */
  | { readonly kind: 'author'; readonly participant: string; readonly number: string }

/** Somebody asks to join a group, or does not wait for an answer any longer. */
export interface JoinRequestChange {
  readonly kind: 'join_requests'
  readonly groupId: string
  readonly isCreated: boolean
  /** By which the network knows who did it; undefined: it does not say. */
  readonly by: string | undefined
  readonly people: readonly { readonly jid: string; readonly number: string | undefined }[]
}

/** A label of a business account. */
export interface RawLabel {
  readonly id: string
  readonly name: string
  readonly color: number
  readonly deleted: boolean
}

/** A part of what the phone has sent of its past. */
export type HistorySet = BaileysEventMap['messaging-history.set']
