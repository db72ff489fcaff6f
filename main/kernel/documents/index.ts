export { DOCUMENT_TYPES, documentType } from './document-type.ts'
export type { DocumentType } from './document-program.ts'
export type { Passage } from './passages.ts'
export { createDocumentReader, DOCUMENT_BYTES, type DocumentReader, type ReadDocument } from './reader.ts'
