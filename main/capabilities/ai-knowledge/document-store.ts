import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

export interface DocumentRow {
  readonly seq: number
  readonly id: string
  readonly accountId: AccountId
  readonly name: string
  readonly mimeType: string
  readonly size: number
  readonly fileId: string
  readonly status: 'processing' | 'ready' | 'failed'
  readonly error: string | null
  readonly passages: number
  readonly createdAtMs: number
}

type OfInstance = { instanceId: string }

const COLUMNS = `seq, id, account_id AS accountId, name, mime_type AS mimeType, size, file_id AS fileId, status, error, passages,
  created_at AS createdAtMs`

export const documentsPage = sql<OfInstance & { before: number; rows: number }, DocumentRow>(
  `SELECT ${COLUMNS} FROM ai_documents WHERE instance_id = :instanceId AND seq < :before ORDER BY seq DESC LIMIT :rows`,
)
export const documentById = sql<OfInstance & { id: string }, DocumentRow>(
  `SELECT ${COLUMNS} FROM ai_documents WHERE id = :id AND instance_id = :instanceId`,
)
export const documentCount = sql<OfInstance, { count: number }>(
  'SELECT COUNT(*) AS count FROM ai_documents WHERE instance_id = :instanceId',
)
export const insertDocument = sql<Omit<DocumentRow, 'status' | 'error' | 'passages'> & OfInstance & { reader: number }>(
  `INSERT INTO ai_documents (seq, id, instance_id, account_id, name, mime_type, size, file_id, status, created_at,
     reader)
   VALUES (:seq, :id, :instanceId, :accountId, :name, :mimeType, :size, :fileId, 'processing', :createdAtMs, :reader)`,
)
/** The next document that was last read by an earlier version. */
export const nextOutdated = sql<{ reader: number }, OfInstance & { seq: number; id: string; accountId: AccountId }>(
  `SELECT seq, id, instance_id AS instanceId, account_id AS accountId FROM ai_documents
   WHERE reader < :reader AND status <> 'processing' ORDER BY reader, seq LIMIT 1`,
)
export const setReader = sql<{ seq: number; reader: number }>(
  'UPDATE ai_documents SET reader = :reader WHERE seq = :seq',
)
/** Changes nothing if the document was deleted. */
export const finishDocument = sql<{
  seq: number
  status: 'ready' | 'failed'
  error: string | null
  passages: number
}>('UPDATE ai_documents SET status = :status, error = :error, passages = :passages WHERE seq = :seq')
export const filesOfInstance = sql<OfInstance, { fileId: string; accountId: AccountId }>(
  'SELECT file_id AS fileId, account_id AS accountId FROM ai_documents WHERE instance_id = :instanceId',
)
export const removeDocument = sql<{ seq: number }>('DELETE FROM ai_documents WHERE seq = :seq')
export const removeDocumentsOf = sql<OfInstance>('DELETE FROM ai_documents WHERE instance_id = :instanceId')

export const insertPassage = sql<OfInstance & { documentSeq: number; position: number; place: string; text: string }>(
  `INSERT INTO ai_passages (document_seq, position, instance_id, place, text)
   VALUES (:documentSeq, :position, :instanceId, :place, :text)`,
)
export const removePassages = sql<{ documentSeq: number }>('DELETE FROM ai_passages WHERE document_seq = :documentSeq')
export const removePassagesOf = sql<OfInstance>('DELETE FROM ai_passages WHERE instance_id = :instanceId')
export const passagesAfter = sql<
  OfInstance & { afterSeq: number; afterPosition: number; rows: number },
  { documentSeq: number; position: number; place: string; text: string; documentId: string; name: string }
>(
  `SELECT p.document_seq AS documentSeq, p.position, p.place, p.text, d.id AS documentId, d.name
   FROM ai_passages p JOIN ai_documents d ON d.seq = p.document_seq
   WHERE p.instance_id = :instanceId AND (p.document_seq, p.position) > (:afterSeq, :afterPosition)
   ORDER BY p.document_seq, p.position LIMIT :rows`,
)
export const rehomeDocuments = sql<{ instanceId: string; accountId: string }>(
  'UPDATE ai_documents SET account_id = :accountId WHERE instance_id = :instanceId',
)
