import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { FileBody } from '../../contract/operation.ts'
import { isoTime } from '../../contract/request.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { bytesOf } from '../../kernel/file-content.ts'
import type { Files } from '../../kernel/files.ts'
import type { AccountId, Ids } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { Cursors } from '../../kernel/page.ts'
import { seqPage } from '../../kernel/seq-page.ts'
import { DOCUMENT_TYPES, type Document } from './contract.ts'
import {
  documentById,
  documentCount,
  documentsPage,
  filesOfInstance,
  finishDocument,
  insertDocument,
  insertPassage,
  removeDocument,
  removePassages,
  type DocumentRow,
} from './document-store.ts'
import type { Place } from './faq.ts'

/** A part of a document that an answer can be found in. */
export interface Passage {
  /** Where it is, for people: `page 3`, or its heading. */
  readonly place: string
  readonly text: string
}

/** Reads a file. @throws Error whose message says what is wrong with it. */
export type ReadDocument = (
  file: { readonly bytes: Buffer; readonly mimeType: string },
  signal: AbortSignal,
) => Promise<readonly Passage[]>

interface DocumentsDeps {
  readonly db: Db
  readonly ids: Pick<Ids, 'uuid'>
  readonly cursors: Cursors
  readonly files: Pick<Files, 'store' | 'find' | 'remove'>
  readonly jobs: Jobs
  readonly readDocument: ReadDocument
  readonly onChange: (tx: Tx, instanceId: string) => void
  /** The document was read, or could not be. */
  readonly onRead: (accountId: AccountId, instanceId: string) => void
}

interface ReadInput {
  readonly instanceId: string
  readonly accountId: AccountId
  readonly documentId: string
}

type ReadResult =
  | { readonly kind: 'read'; readonly passages: readonly Passage[] }
  | { readonly kind: 'unreadable'; readonly error: string }
  | { readonly kind: 'gone' }

const KIND = 'ai-knowledge.document'
const TYPE_OF_ENDING: Readonly<Record<string, (typeof DOCUMENT_TYPES)[number]>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  md: 'text/markdown',
  markdown: 'text/markdown',
  txt: 'text/plain',
}

export type Documents = ReturnType<typeof createDocuments>

/** Files whose text agents answer from. */
export function createDocuments(deps: DocumentsDeps) {
  const { db, ids, cursors, files, onChange } = deps

  const get = async (instanceId: string, id: string): Promise<DocumentRow> => {
    const row = await db.readOne(documentById, { instanceId, id })
    if (row === undefined) throw new ApiError('not_found', 'This instance has no document with this id.')
    return row
  }

  const reading = deps.jobs.define<ReadInput, ReadResult>({
    name: 'ai-knowledge.read',
    perLane: 1,
    concurrency: 1,
    deadlineMs: 180_000,
    retryDelaysMs: [5_000, 60_000],
    async act({ input: { instanceId, accountId, documentId } }, signal) {
      const row = await db.readOne(documentById, { instanceId, id: documentId })
      const file = row && (await files.find({ accountId, kind: KIND, id: row.fileId }))
      if (row === undefined || file === undefined) return { kind: 'gone' }
      const bytes = await bytesOf(file)
      try {
        const passages = await deps.readDocument({ bytes, mimeType: row.mimeType }, signal)
        if (passages.length > 0) return { kind: 'read', passages }
        return { kind: 'unreadable', error: NO_TEXT }
      } catch (error) {
        signal.throwIfAborted()
        return { kind: 'unreadable', error: error instanceof Error ? error.message.slice(0, 300) : NO_TEXT }
      }
    },
    async record(tx, { input: { instanceId, accountId, documentId } }, result) {
      const row = await tx.one(documentById, { instanceId, id: documentId })
      if (row === undefined || result.kind === 'gone') return { kind: 'done' }
      const { seq } = row
      await tx.run(removePassages, { documentSeq: seq })
      const passages = result.kind === 'read' ? result.passages : []
      for (const [position, { place, text }] of passages.entries())
        await tx.run(insertPassage, { documentSeq: seq, position, instanceId, place, text })
      const error = result.kind === 'read' ? null : result.error
      await tx.run(finishDocument, {
        ...{ seq, error, passages: passages.length },
        status: error === null ? 'ready' : 'failed',
      })
      onChange(tx, instanceId)
      tx.afterCommit(() => deps.onRead(accountId, instanceId))
      return { kind: 'done' }
    },
    async recordFailure(tx, { input: { instanceId, accountId, documentId } }) {
      const row = await tx.one(documentById, { instanceId, id: documentId })
      if (row === undefined) return
      await tx.run(finishDocument, { seq: row.seq, status: 'failed', error: TOO_LONG, passages: 0 })
      tx.afterCommit(() => deps.onRead(accountId, instanceId))
    },
  })

  return {
    list: (instanceId: string, wish: { readonly limit?: number; readonly cursor?: string }) =>
      seqPage(
        cursors,
        `ai-documents:${instanceId}`,
        wish,
        (page) => db.read(documentsPage, { instanceId, ...page }),
        toDocument,
      ),

    /** @throws ApiError invalid_state, validation_error */
    async upload({ instanceId, accountId }: Place, name: string, body: FileBody): Promise<Document> {
      const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
      const declared = DOCUMENT_TYPES.find((type) => type === body.mimeType)
      // The system's name for a type is often wrong or missing, and the ending of the file is not.
      const mimeType = TYPE_OF_ENDING[ending] ?? declared
      if (mimeType === undefined)
        throw new ApiError('validation_error', 'name must end with .pdf, .docx, .md or .txt. Other files cannot be read.')
      const { count = 0 } = (await db.readOne(documentCount, { instanceId })) ?? {}
      if (count >= LIMITS.aiDocuments)
        throw new ApiError(
          'invalid_state',
          `This instance already has ${LIMITS.aiDocuments} documents, which is the most. Delete one first.`,
        )
      const id = ids.uuid()
      const about = { accountId, kind: KIND, name, mimeType, expiresAtMs: null, maxBytes: LIMITS.aiDocumentBytes }
      let seq = 0
      const stored = await files.store(body.stream, about, async (tx, file) => {
        seq = await tx.next('ai_documents')
        const row = { seq, id, instanceId, accountId, name, mimeType, size: file.size, fileId: file.id }
        await tx.run(insertDocument, { ...row, createdAtMs: file.createdAtMs })
        await reading.add(tx, { accountId, subjectId: instanceId, input: { instanceId, accountId, documentId: id } })
      })
      const { size, id: fileId, createdAtMs } = stored
      const row = { seq, id, name, mimeType, size, fileId, createdAtMs }
      return toDocument({ ...row, status: 'processing', error: null, passages: 0 })
    },

    async remove({ instanceId, accountId }: Place, id: string): Promise<void> {
      const { seq, fileId } = await get(instanceId, id)
      await db.commit(async (tx) => {
        await tx.run(removePassages, { documentSeq: seq })
        await tx.run(removeDocument, { seq })
        await files.remove(tx, { accountId, kind: KIND, id: fileId })
        onChange(tx, instanceId)
      })
    },

    /** Of an instance that ends. */
    async removeFiles(tx: Tx, instanceId: string): Promise<void> {
      for (const { fileId, accountId } of await tx.all(filesOfInstance, { instanceId }))
        await files.remove(tx, { accountId, kind: KIND, id: fileId })
    },

    find: get,
  }
}

const NO_TEXT = 'The file has no text. A scanned document must be converted by text recognition first.'
const TOO_LONG = 'The file took too long to read. Split it, or save it as text.'

const toDocument = ({ id, name, mimeType, size, status, error, passages, createdAtMs }: DocumentRow): Document => ({
  ...{ id, name, mime_type: mimeType, size, status, error, passages },
  created_at: isoTime(createdAtMs),
})
