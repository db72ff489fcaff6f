import type { ChildProgram, StartChildProgram } from '../child-program.ts'
import type { Clock, Timer } from '../clock.ts'
import type { FileContent } from '../file-content.ts'
import { cause, type Log } from '../log.ts'
import { startTimeout } from '../timeout.ts'
import type { DocumentProblem } from './blocks.ts'
import type { DocumentType } from './document-type.ts'
import type { Passage } from './passages.ts'
import type { FromDocuments, ToDocuments } from './protocol.ts'

type DocumentProcess = ChildProgram<ToDocuments>
export type StartDocuments = StartChildProgram<ToDocuments, FromDocuments>
type Content = Pick<FileContent, 'parts' | 'size'>

type ReadDocument =
  | { readonly kind: 'read'; readonly passages: readonly Passage[] }
  /** The sentence says what is wrong with the document and what to do. Reading it again would fail again. */
  | { readonly kind: 'failed'; readonly problem: DocumentProblem | 'too_slow' | 'too_large'; readonly sentence: string }
  /** Nothing is known about the document: this build reads none, or too many wait. */
  | { readonly kind: 'unavailable'; readonly sentence: string }

/** Reads documents of strangers. */
export interface DocumentReader {
  /** Never throws. One document after another. @param content is read once its turn has come. */
  read(type: DocumentType, content: Content): Promise<ReadDocument>
  close(): Promise<void>
}

interface DocumentReaderDeps {
  readonly clock: Pick<Clock, 'mono' | 'after'>
  readonly log: Log
  /** null: this build reads none. */
  readonly start: StartDocuments | null
  readonly limits?: { readonly ms: number; readonly memoryMb: number }
}

const DOCUMENT_BYTES = 20 * 1024 * 1024

/** Of the heap, and as much again of bytes outside it: some machines have one gigabyte for everything. */
const LIMITS = { ms: 30_000, memoryMb: 256 }
/** It takes 60 MB. People upload several documents in a row. */
const IDLE_MS = 20_000
const WAITING_AT_MOST = 32

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

const UNAVAILABLE: ReadDocument = { kind: 'unavailable', sentence: 'The document could not be read now. Try again.' }

/**
 * Reads documents in a process of its own, one after another, because they come from strangers and may be made to take
 * much memory, much time, or to end the process. What one took is given back when the process ends: after a document
 * that was not read, or when it was idle for a while.
 */
export function createDocumentReader({ clock, log, start, limits = LIMITS }: DocumentReaderDeps): DocumentReader {
  let queue: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let isClosed = false
  let child: DocumentProcess | undefined
  let idle: Timer | undefined
  let hear: ((message: FromDocuments) => void) | undefined
  let hearEnd: ((reason: string) => void) | undefined

  async function run(type: DocumentType, content: Content): Promise<ReadDocument> {
    if (isClosed) return UNAVAILABLE
    idle?.cancel()
    const result = await ask(type, content)
    // The process must end before its memory is given back.
    if (result.kind !== 'read') end()
    else if (child !== undefined) idle = startTimeout(clock, IDLE_MS, end)
    return result
  }

  async function ask(type: DocumentType, content: Content): Promise<ReadDocument> {
    const { promise, resolve } = Promise.withResolvers<ReadDocument>()
    const time = startTimeout(clock, limits.ms, () => resolve(failed('too_slow')))
    // The file could not be read, or the process not started, which says nothing about the document.
    const giveUp = (why: object) => {
      log.warn({ event: 'document.not_read', type, ...why })
      resolve(UNAVAILABLE)
    }
    const sendPart = async () => {
      const next = await parts?.next()
      if (next === undefined || next.done === true) giveUp({ reason: 'the file is shorter than it was' })
      else child?.send({ kind: 'part', bytes: next.value })
    }
    hearEnd = (reason) => giveUp({ reason })
    hear = (message) => {
      if (message.kind === 'read') return resolve(message)
      if (message.kind === 'failed') {
        const { problem, detail } = message
        if (detail !== undefined) log.info({ event: 'document.thread_failed', type, problem, detail })
        return resolve(failed(problem))
      }
      sendPart().catch((error: unknown) => giveUp({ cause: cause(error) }))
    }
    let parts: AsyncIterator<Uint8Array> | undefined
    try {
      parts = content.parts()[Symbol.asyncIterator]()
      child ??= open()
      child.send({ kind: 'begin', type, size: content.size, memoryMb: limits.memoryMb })
    } catch (error) {
      giveUp({ cause: cause(error) })
    }
    const result = await promise
    hear = hearEnd = undefined
    time.cancel()
    await parts?.return?.()
    return result
  }

  function open(): DocumentProcess {
    if (start === null) throw new Error('this build has no program that reads documents')
    const opened: DocumentProcess = start(
      (message) => {
        if (child === opened) hear?.(message)
      },
      (reason = 'for no known reason') => {
        if (child !== opened) return
        child = undefined
        hearEnd?.(reason)
      },
    )
    return opened
  }

  function end(): void {
    idle?.cancel()
    const ended = child
    child = undefined
    ended?.kill()
  }

  return {
    async read(type, content) {
      if (content.size > DOCUMENT_BYTES) return failed('too_large')
      if (start === null || isClosed || waiting >= WAITING_AT_MOST) return UNAVAILABLE
      waiting++
      const turn = queue.then(() => run(type, content)).finally(() => waiting--)
      queue = turn
      return turn
    },
    async close() {
      isClosed = true
      hearEnd?.('the service ends')
      end()
      await queue
    },
  }
}

const failed = (problem: keyof typeof SENTENCES): ReadDocument => ({
  kind: 'failed',
  problem,
  sentence: SENTENCES[problem],
})
