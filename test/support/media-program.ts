import { resolve } from 'node:path'
import { documentsStarter } from '../../main/service/documents.ts'

/** The product's own program that converts media, from its sources. */
export const MEDIA_PROGRAM = resolve(import.meta.dirname, '../../main/kernel/media-program.ts')
/** The process that reads documents, from its sources. */
export const startTestDocuments = documentsStarter({
  documents: resolve(import.meta.dirname, '../../main/kernel/documents/document-program.ts'),
  thread: resolve(import.meta.dirname, '../../main/kernel/documents/document-thread.ts'),
})
