import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { FileBody } from '../../contract/operation.ts'
import { isoTime } from '../../contract/request.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import {
  documentProblemOf,
  documentType,
  PASSAGES_VERSION,
  type DocumentReader,
  type Passage,
} from '../../kernel/documents/index.ts'
import type { Files } from '../../kernel/files.ts'
import type { AccountId, Ids } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { Cursors } from '../../kernel/page.ts'
import { seqPage } from '../../kernel/list-page.ts'
import type { Document, DocumentErrorCode } from './contract.ts'
import {
  documentById,
  documentCount,
  documentsPage,
  filesOfInstance,
  finishDocument,
  insertDocument,
  insertPassage,
  nextOutdated,
  removeDocument,
  removePassages,
  setReader,
  type DocumentRow,
} from './document-store.ts'
import type { Place } from './faq.ts'

interface DocumentsDeps {
  readonly db: Db
  readonly ids: Pick<Ids, 'uuid'>
  readonly cursors: Cursors
  readonly files: Pick<Files, 'store' | 'find' | 'rehome' | 'remove'>
  readonly jobs: Jobs
  /** Reads files in a separate process. */
  readonly documents: Pick<DocumentReader, 'read'>
  readonly onChange: (tx: Tx, instanceId: string) => void
  /** Called after a document was read, or reading failed. */
  readonly onRead: (accountId: AccountId, instanceId: string) => void
}

interface ReadInput {
  readonly instanceId: string
  readonly documentId: string
  /** The document was already read by an earlier version; its passages are kept until the new reading succeeds. */
  readonly again?: boolean
}

type ReadResult =
  | { readonly kind: 'read'; readonly passages: readonly Passage[] }
  | { readonly kind: 'unreadable'; readonly error: string }
  | { readonly kind: 'gone' }

const KIND = 'ai-knowledge.document'
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
    // One document at a time, because each may need much memory. Accounts take turns.
    perLane: 1,
    concurrency: 1,
    deadlineMs: 60_000,
    retryDelaysMs: [5_000, 60_000],
    async act({ input: { instanceId, documentId } }) {
      const row = await db.readOne(documentById, { instanceId, id: documentId })
      const file = row && (await files.find({ accountId: row.accountId, kind: KIND, id: row.fileId }))
      if (row === undefined) return { kind: 'gone' }
      if (file === undefined) return { kind: 'unreadable', error: FILE_MISSING }
      const type = documentType(row.name, row.mimeType)
      if (type === undefined) return { kind: 'unreadable', error: UNKNOWN_TYPE }
      const read = await deps.documents.read(type, file)
      if (read.kind === 'unavailable') throw new Error(read.sentence)
      if (read.kind === 'failed') return { kind: 'unreadable', error: read.sentence }
      return { kind: 'read', passages: read.passages }
    },
    async record(tx, { input: { instanceId, documentId, again } }, result) {
      if (again === true) await readNextOutdated(tx)
      const row = await tx.one(documentById, { instanceId, id: documentId })
      if (row === undefined || result.kind === 'gone') return { kind: 'done' }
      if (again === true && result.kind !== 'read') return { kind: 'done' }
      const { seq, accountId } = row
      await tx.run(removePassages, { documentSeq: seq })
      const passages = result.kind === 'read' ? result.passages : []
      for (const [position, passage] of passages.entries())
        await tx.run(insertPassage, {
          documentSeq: seq,
          position,
          instanceId,
          place: placeOf(passage),
          text: passage.text,
        })
      const error = result.kind === 'read' ? null : result.error
      await tx.run(finishDocument, {
        ...{ seq, error, passages: passages.length },
        status: error === null ? 'ready' : 'failed',
      })
      onChange(tx, instanceId)
      tx.afterCommit(() => deps.onRead(accountId, instanceId))
      return { kind: 'done' }
    },
    async recordFailure(tx, { input: { instanceId, documentId, again } }) {
      if (again === true) return readNextOutdated(tx)
      const row = await tx.one(documentById, { instanceId, id: documentId })
      if (row === undefined) return
      await tx.run(finishDocument, { seq: row.seq, status: 'failed', error: NOT_READ, passages: 0 })
      tx.afterCommit(() => deps.onRead(row.accountId, instanceId))
    },
  })

  /** Reads outdated documents one by one, so that a new upload waits for at most one of them. */
  async function readNextOutdated(tx: Tx): Promise<void> {
    const next = await tx.one(nextOutdated, { reader: PASSAGES_VERSION })
    if (next === undefined) return
    const { seq, id: documentId, instanceId, accountId } = next
    await tx.run(setReader, { seq, reader: PASSAGES_VERSION })
    await reading.add(tx, { accountId, subjectId: accountId, input: { instanceId, documentId, again: true } })
  }

  return {
    /** Starts to reread documents that an earlier version read; each is reread once. */
    readOutdated: () => db.commit(readNextOutdated),

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
      if (documentType(name, body.mimeType) === undefined)
        throw new ApiError('validation_error', `name: ${UNKNOWN_TYPE}`).because('file_type_unknown')
      const { count = 0 } = (await db.readOne(documentCount, { instanceId })) ?? {}
      if (count >= LIMITS.aiDocuments)
        throw new ApiError(
          'invalid_state',
          `This instance already has ${LIMITS.aiDocuments} documents, which is the most. Delete one first.`,
        ).because('documents_full', { n: LIMITS.aiDocuments })
      const id = ids.uuid()
      const { mimeType } = body
      const about = { accountId, kind: KIND, name, mimeType, expiresAt: null, maxBytes: LIMITS.aiDocumentBytes }
      let seq = 0
      const stored = await files.store(body.stream, about, async (tx, file) => {
        seq = await tx.next('ai_documents')
        const row = { seq, id, instanceId, accountId, name, mimeType, size: file.size, fileId: file.id }
        await tx.run(insertDocument, { ...row, createdAtMs: file.createdAtMs, reader: PASSAGES_VERSION })
        await reading.add(tx, { accountId, subjectId: accountId, input: { instanceId, documentId: id } })
      })
      const { size, id: fileId, createdAtMs } = stored
      const row = { seq, id, accountId, name, mimeType, size, fileId, createdAtMs }
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

    /** For an instance that is deleted. */
    async removeFiles(tx: Tx, instanceId: string): Promise<void> {
      for (const { fileId, accountId } of await tx.all(filesOfInstance, { instanceId }))
        await files.remove(tx, { accountId, kind: KIND, id: fileId })
    },

    /** Moves the files with the instance to its new account. */
    async rehomeFiles(tx: Tx, instanceId: string, to: AccountId): Promise<void> {
      for (const { fileId, accountId } of await tx.all(filesOfInstance, { instanceId }))
        await files.rehome(tx, { accountId, kind: KIND, id: fileId }, to)
    },

    find: get,
  }
}

const UNKNOWN_TYPE = 'The file must be a PDF, a Word document (.docx), Markdown or text. Other files cannot be read.'
const FILE_MISSING = 'The file is no longer on this computer. Delete the document and upload the file again.'
const NOT_READ = 'The document could not be read. Delete it and upload it again.'

/** Location shown to people: `Delivery › Abroad, 3` is below that heading, on page 3. */
export const placeOf = ({ heading, page }: Pick<Passage, 'heading' | 'page'>): string =>
  [heading, page === null ? null : `p. ${page}`].filter((part) => part !== null).join(', ')

/** Rows store a sentence. A sentence that this version no longer writes is reported as a general error. */
function errorCodeOf(sentence: string | null): DocumentErrorCode | null {
  if (sentence === null) return null
  if (sentence === UNKNOWN_TYPE) return 'unknown_type'
  return sentence === FILE_MISSING ? 'file_missing' : (documentProblemOf(sentence) ?? 'not_read')
}

const toDocument = ({ id, name, mimeType, size, status, error, passages, createdAtMs }: DocumentRow): Document => ({
  ...{ id, name, mime_type: mimeType, size, status, error, error_code: errorCodeOf(error), passages },
  created_at: isoTime(createdAtMs),
})
