import type { CrmProblemCode, FieldSource } from '../../contract/crm.ts'
import type { MessageStatus, Source } from '../../contract/shapes.ts'
import type { OptOut } from '../opt-outs/index.ts'
import type { CrmLink } from './links.ts'

/** A person, as a bridge makes a contact of them. */
export interface Person {
  /** Digits, as people write the number today: a Brazilian mobile has its ninth digit. */
  readonly phone: string
  /** All spellings of the number, digits. */
  readonly spellings: readonly string[]
  /** What the fields of the field map are filled with; an empty value leaves the field alone. */
  readonly values: Readonly<Partial<Record<FieldSource, string | readonly string[]>>>
  /** The person wants no campaigns and follow-ups. */
  readonly isOptedOut: boolean
}

/** A contact in the CRM. */
export interface CrmContact {
  readonly contactId: string
  /** null until it is known. */
  readonly conversationId: string | null
}

export interface CrmFile {
  readonly mimeType: string
  readonly filename: string
  readonly bytes: Buffer
}

/** How a receiver with an API key gets a file. */
export interface FileRef {
  readonly mediaId: string | null
  readonly mimeType: string
  readonly filename: string | null
  readonly size: number
}

export interface CrmMessage {
  /** Ours. */
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  readonly type: string
  /** What is shown in words; the caption of a file. */
  readonly text: string
  readonly source: Source | null
  readonly atMs: number
  readonly file: FileRef | null
  /** @returns null if the file is not there any more. @throws BridgeError `later` if it may be soon. */
  readonly readFile: () => Promise<CrmFile | null>
}

/** A call, or the recording of one, for the timeline of a contact. */
export interface CrmCall {
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  /** Digits; null if it is not known. */
  readonly from: string | null
  readonly to: string | null
  readonly outcome: 'completed' | 'missed' | 'declined' | 'failed'
  readonly startedAtMs: number
  readonly durationSeconds: number
  /** Where a person can listen to it; null without a recording. */
  readonly recordingUrl: string | null
}

/** What a bridge could not do, and whether it is tried again. */
export type BridgeFault =
  /** Nothing was done. The whole queue waits: the CRM cannot be reached, or has had enough calls. */
  | { readonly kind: 'wait'; readonly waitMs: number | null; readonly code: CrmProblemCode }
  /** It may have been done: it is looked for before it is repeated. */
  | { readonly kind: 'unknown'; readonly code: CrmProblemCode }
  /** The CRM accepts no calls until a person connects again. */
  | { readonly kind: 'reconnect'; readonly code: CrmProblemCode }
  /** The CRM refuses this and would refuse it again. */
  | { readonly kind: 'refused'; readonly code: CrmProblemCode }
  /** The contact was removed or merged there: it is looked for again. */
  | { readonly kind: 'contact_gone'; readonly code: CrmProblemCode }
  /** Only this item waits, and its contact with it. */
  | { readonly kind: 'later'; readonly waitMs: number; readonly code: CrmProblemCode }

export class BridgeError extends Error {
  readonly fault: BridgeFault

  /** @param message for people: what is wrong and what to do. */
  constructor(fault: BridgeFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
  }
}

export interface PushedMessage {
  readonly externalId: string
  readonly conversationId: string | null
}

export interface CrmOptOut {
  readonly isOptedOut: boolean
  /** The same on every retry. */
  readonly changeId: string
  /** Who decided it, when, and from which message; null: it was lifted. */
  readonly decided: Pick<OptOut, 'source' | 'messageId' | 'createdAtMs'> | null
}

/** How messages, statuses and wishes reach a CRM. All of it throws BridgeError and nothing else on purpose. */
export interface CrmBridge {
  /** Finds or makes the contact, and fills its fields. @param known what an earlier call gave. */
  contact(link: CrmLink, person: Person, known: CrmContact | null): Promise<CrmContact>
  /** @param mayExist an earlier call may have had its effect: then it is found, and not added again. */
  message(link: CrmLink, contact: CrmContact, message: CrmMessage, mayExist: boolean): Promise<PushedMessage>
  call(link: CrmLink, contact: CrmContact, call: CrmCall, mayExist: boolean): Promise<PushedMessage>
  status(link: CrmLink, externalId: string, status: MessageStatus, error: string | null): Promise<void>
  optOut(link: CrmLink, contact: CrmContact, change: CrmOptOut): Promise<void>
  /** Statuses that this CRM has a word for. */
  readonly statuses: ReadonlySet<MessageStatus>
}
