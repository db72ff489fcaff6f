import type { Migration } from '../migrate.ts'

/** Which version of the reader made the passages of a document: those of earlier ones are read again. */
export const documentReaders: Migration = {
  version: 46,
  name: 'document-readers',
  sql: `
ALTER TABLE ai_documents ADD COLUMN reader INTEGER NOT NULL DEFAULT 0;
CREATE INDEX ai_documents_by_reader ON ai_documents (reader, seq);
`,
}
