export { documentType } from './document-type.ts'
export type { DocumentType } from './document-program.ts'
export { PASSAGES_VERSION, type Passage } from './passages.ts'
export { createDocumentReader, documentProblemOf, type DocumentReader } from './reader.ts'
