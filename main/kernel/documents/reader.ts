import { Worker } from 'node:worker_threads'
import type { Clock } from '../clock.ts'
import { bytesOf, type FileContent } from '../file-content.ts'
import { cause, type Log } from '../log.ts'
import { startTimeout } from '../timeout.ts'
import type { DocumentProblem } from './blocks.ts'
import type { DocumentRequest, DocumentResponse, DocumentType } from './document-program.ts'
import type { Passage } from './passages.ts'

type ReadDocument =
  | { readonly kind: 'read'; readonly passages: readonly Passage[] }
  /** The sentence says what is wrong with the document and what to do. Reading it again would fail again. */
  | { readonly kind: 'failed'; readonly problem: DocumentProblem | 'too_slow' | 'too_large'; readonly sentence: string }
  /** Nothing is known about the document: this build reads none, or too many wait. */
  | { readonly kind: 'unavailable'; readonly sentence: string }

/** Reads documents of strangers. */
export interface DocumentReader {
  /** Never throws. One document after another. @param content is read once its turn has come. */
  read(type: DocumentType, content: Pick<FileContent, 'parts' | 'size'>): Promise<ReadDocument>
  close(): Promise<void>
}

interface DocumentReaderDeps {
  readonly clock: Pick<Clock, 'mono' | 'after' | 'every'>
  readonly log: Log
  /** Path of document-program.ts as it was built; null: nothing is read. */
  readonly program: string | null
  readonly limits?: { readonly ms: number; readonly memoryMb: number }
}

const DOCUMENT_BYTES = 20 * 1024 * 1024

/** Of the heap, and as much again of bytes outside it: some machines have one gigabyte for everything. */
const LIMITS = { ms: 30_000, memoryMb: 256 }
const LOOK_MS = 50
const WAITING_AT_MOST = 32
const MB = 1024 * 1024

const SENTENCES: Record<DocumentProblem | 'too_slow' | 'too_large', string> = {
  encrypted: 'The document is protected with a password. Save a copy without a password and upload that.',
  old_word: 'This is a Word document of the old format (.doc). Save it as .docx and upload that.',
  scanned:
    'The document has only pictures of text. Upload one whose text can be selected, or run text recognition (OCR) first.',
  empty: 'The document has no text.',
  broken: 'The document is damaged, or is not of the type its name says. Open it, save it again and upload that.',
  too_long:
    'The document has more than 5,000 passages (about a million words). Split it and upload the parts you need.',
  too_much_memory: 'The document needs too much memory when it is unpacked. Remove what is not needed, or split it.',
  too_slow: 'Reading the document took longer than 30 seconds. Split it, or save it as plain text.',
  too_large: 'The document is larger than 20 MB. Split it, or save it without pictures.',
}

/** @returns undefined if the sentence is not one of a document that cannot be read. */
export const documentProblemOf = (sentence: string): keyof typeof SENTENCES | undefined =>
  Object.entries(SENTENCES).find(([, known]) => known === sentence)?.[0] as keyof typeof SENTENCES | undefined

const UNAVAILABLE = 'The document could not be read now. Try again.'

/**
 * Reads each document in a thread of its own, which is ended when it takes too long or too much memory: documents come
 * from strangers and may be made to do either.
 */
export function createDocumentReader({ clock, log, program, limits = LIMITS }: DocumentReaderDeps): DocumentReader {
  let queue: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let isClosed = false
  let thread: Worker | undefined

  async function run(type: DocumentType, content: Pick<FileContent, 'parts' | 'size'>): Promise<ReadDocument> {
    if (isClosed) return { kind: 'unavailable', sentence: UNAVAILABLE }
    try {
      const bytes = new Uint8Array(await bytesOf(content))
      return await ask({ type, bytes })
    } catch (error) {
      // The file could not be read, which says nothing about the document.
      log.warn({ event: 'document.not_read', cause: cause(error) })
      return { kind: 'unavailable', sentence: UNAVAILABLE }
    }
  }

  async function ask(request: DocumentRequest): Promise<ReadDocument> {
    const { promise, resolve } = Promise.withResolvers<ReadDocument>()
    const started = start()
    const time = startTimeout(clock, limits.ms, () => resolve(failed('too_slow')))
    const memory = watchMemory(started, () => resolve(failed('too_much_memory')))
    started.once('message', (response: DocumentResponse) =>
      resolve(response.kind === 'read' ? response : failed(response.problem)),
    )
    // A heap that is used up ends the thread with an error.
    started.once('error', (error) => {
      log.info({ event: 'document.thread_failed', type: request.type, cause: cause(error) })
      resolve(failed(isOutOfMemory(error) ? 'too_much_memory' : 'broken'))
    })
    started.once('exit', () => resolve({ kind: 'unavailable', sentence: UNAVAILABLE }))
    started.postMessage(request, [request.bytes.buffer])
    try {
      return await promise
    } finally {
      time.cancel()
      memory.cancel()
      thread = undefined
      await started.terminate()
    }
  }

  function start(): Worker {
    if (program === null) throw new Error('this build has no program that reads documents')
    thread = new Worker(program, {
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
      // What its libraries would write is nothing for the service's own output.
      ...{ stdout: true, stderr: true },
    })
    thread.unref()
    return thread
  }

  /** Bytes outside the heap are limited by nothing else, and what is unpacked is there. */
  function watchMemory(of: Worker, exceed: () => void) {
    return clock.every(LOOK_MS, () => {
      of.getHeapStatistics().then(
        ({ external_memory: outside }) => {
          if (outside > limits.memoryMb * MB) exceed()
        },
        // It has ended.
        () => {},
      )
    })
  }

  return {
    async read(type, content) {
      if (content.size > DOCUMENT_BYTES) return failed('too_large')
      if (program === null || isClosed || waiting >= WAITING_AT_MOST) {
        return { kind: 'unavailable', sentence: UNAVAILABLE }
      }
      waiting++
      const turn = queue.then(() => run(type, content)).finally(() => waiting--)
      queue = turn
      return turn
    },
    async close() {
      isClosed = true
      await thread?.terminate()
      await queue
    },
  }
}

const failed = (problem: keyof typeof SENTENCES): ReadDocument => ({
  kind: 'failed',
  problem,
  sentence: SENTENCES[problem],
})

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
