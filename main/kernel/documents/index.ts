export { documentType, type DocumentType } from './document-type.ts'
export { PASSAGES_VERSION, type Passage } from './passages.ts'
export { createDocumentReader, documentProblemOf, type DocumentReader, type StartDocuments } from './reader.ts'
