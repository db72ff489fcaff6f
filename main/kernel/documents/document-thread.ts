import { parentPort } from 'node:worker_threads'
import { DocumentError, type Block } from './blocks.ts'
import type { DocumentType } from './document-type.ts'
import { cutIntoPassages } from './passages.ts'
import { blocksOfMarkdown, blocksOfText } from './plain.ts'
import type { DocumentRequest, DocumentResponse } from './protocol.ts'

/** A thread that reads one document. document-program.ts starts it for a document and ends it after that. */

// Both libraries are large, and a document needs one of them at most.
const READERS: Record<DocumentType, (bytes: Uint8Array) => Promise<Block[]>> = {
  pdf: async (bytes) => (await import('./pdf.ts')).blocksOfPdf(bytes),
  docx: async (bytes) => (await import('./docx.ts')).blocksOfDocx(bytes),
  markdown: blocksOfMarkdown,
  text: blocksOfText,
}

parentPort?.once('message', (request: DocumentRequest) => {
  void read(request).then((response) => parentPort?.postMessage(response))
})

async function read({ type, bytes }: DocumentRequest): Promise<DocumentResponse> {
  try {
    return { kind: 'read', passages: cutIntoPassages(await READERS[type](bytes)) }
  } catch (error) {
    return { kind: 'failed', problem: error instanceof DocumentError ? error.reason : 'broken' }
  }
}
