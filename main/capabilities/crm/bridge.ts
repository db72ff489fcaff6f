import type { CrmProblemCode, FieldSource } from '../../contract/crm.ts'
import type { MessageStatus, Source } from '../../contract/shapes.ts'
import type { OptOut } from '../opt-outs/index.ts'
import type { CrmLink } from './links.ts'

/** A person, for a contact in the CRM. */
export interface Person {
  /** Digits of the number in its current form: a Brazilian mobile number has its ninth digit. */
  readonly phone: string
  /** All spellings of the number, digits. */
  readonly spellings: readonly string[]
  /** Values for the field map; an empty value leaves the field unchanged. */
  readonly values: Readonly<Partial<Record<FieldSource, string | readonly string[]>>>
  /** The person gets no campaigns and follow-ups. */
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

/** How a receiver with an API key downloads a file. */
export interface FileRef {
  readonly mediaId: string | null
  readonly mimeType: string
  readonly filename: string | null
  readonly size: number
}

export interface CrmMessage {
  /** Our id. */
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  readonly type: string
  /** Content as text; for a file, its caption. */
  readonly text: string
  readonly source: Source | null
  readonly atMs: number
  readonly file: FileRef | null
  /** @returns null if the file no longer exists. @throws BridgeError `later` if it may be available soon. */
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
  /** Where a person can listen to the recording; null without one. */
  readonly recordingUrl: string | null
}

/** Why a bridge failed, and whether the call is repeated. */
export type BridgeFault =
  /** Nothing was done, and the whole queue waits: the CRM is unreachable or limits calls. */
  | { readonly kind: 'wait'; readonly waitMs: number | null; readonly code: CrmProblemCode }
  /** The call may have succeeded: its effect is looked for before it is repeated. */
  | { readonly kind: 'unknown'; readonly code: CrmProblemCode }
  /** The CRM accepts no calls until a person connects again. */
  | { readonly kind: 'reconnect'; readonly code: CrmProblemCode }
  /** The CRM refuses this permanently. */
  | { readonly kind: 'refused'; readonly code: CrmProblemCode }
  /** The contact was removed or merged in the CRM, so it is looked up again. */
  | { readonly kind: 'contact_gone'; readonly code: CrmProblemCode }
  /** Only this item waits, and later items of its contact. */
  | { readonly kind: 'later'; readonly waitMs: number; readonly code: CrmProblemCode }

export class BridgeError extends Error {
  readonly fault: BridgeFault

  /** @param message for people: the problem and what to do. */
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
  /** Unchanged on every retry. */
  readonly changeId: string
  /** Source, time and message of the opt-out; null: it was lifted. */
  readonly decided: Pick<OptOut, 'source' | 'messageId' | 'createdAtMs'> | null
}

/** How messages, statuses and opt-outs reach a CRM. Every function throws only BridgeError. */
export interface CrmBridge {
  /** Finds or creates the contact and fills its fields. @param known result of an earlier call. */
  contact(link: CrmLink, person: Person, known: CrmContact | null): Promise<CrmContact>
  /** @param mayExist an earlier call may have succeeded: the message is then looked for before it is added. */
  message(link: CrmLink, contact: CrmContact, message: CrmMessage, mayExist: boolean): Promise<PushedMessage>
  call(link: CrmLink, contact: CrmContact, call: CrmCall, mayExist: boolean): Promise<PushedMessage>
  status(link: CrmLink, externalId: string, status: MessageStatus, error: string | null): Promise<void>
  optOut(link: CrmLink, contact: CrmContact, change: CrmOptOut): Promise<void>
  /** Statuses that this CRM supports. */
  readonly statuses: ReadonlySet<MessageStatus>
}
