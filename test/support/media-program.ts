import { resolve } from 'node:path'

/** The product's own program that converts media, from its sources. */
export const MEDIA_PROGRAM = resolve(import.meta.dirname, '../../main/kernel/media-program.ts')
export const DOCUMENT_PROGRAM = resolve(import.meta.dirname, '../../main/kernel/documents/document-program.ts')
