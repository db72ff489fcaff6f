import type { DocumentProblem } from './blocks.ts'
import type { DocumentType } from './document-type.ts'
import type { Passage } from './passages.ts'

/** What the service says to the process that reads documents. It reads one at a time. */
export type ToDocuments =
  | { readonly kind: 'begin'; readonly type: DocumentType; readonly size: number; readonly memoryMb: number }
  /** Sent when it asks for more: a document that is sent as a whole would be in memory several times. */
  | { readonly kind: 'part'; readonly bytes: Uint8Array }
  | { readonly kind: 'stop' }

export type FromDocuments = { readonly kind: 'more' } | DocumentResponse

export type DocumentResponse =
  | { readonly kind: 'read'; readonly passages: readonly Passage[] }
  /** @param detail for the log. */
  | { readonly kind: 'failed'; readonly problem: DocumentProblem; readonly detail?: string }

/** For the thread that reads one document. */
export interface DocumentRequest {
  readonly type: DocumentType
  readonly bytes: Uint8Array<ArrayBuffer>
}
