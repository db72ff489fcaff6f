import { Worker } from 'node:worker_threads'
import { systemClock } from '../clock.ts'
import type { DocumentRequest, DocumentResponse, FromDocuments, ToDocuments } from './protocol.ts'

/**
 * The process that reads documents of strangers. service/documents.ts starts it, with Node or as a utility process of
 * Electron. Each document is read in a thread, so that this process can watch the memory and hear that the service
 * ended.
 */

/** How Electron's utility processes talk to the one that started them. */
interface ParentPort {
  on(event: 'message', listener: (event: { data: ToDocuments }) => void): void
  postMessage(message: FromDocuments): void
}

const { parentPort } = process as { parentPort?: ParentPort }

const LOOK_MS = 50
const MB = 1024 * 1024
/** This process and its libraries without a document. */
const PROGRAM_MB = 160

/** Where document-thread.ts lies. */
const program = process.argv.at(-1) ?? ''

interface Arriving {
  readonly document: Extract<ToDocuments, { kind: 'begin' }>
  readonly bytes: Uint8Array<ArrayBuffer>
  at: number
}
let arriving: Arriving | undefined

const send = (message: FromDocuments): void => {
  if (parentPort) parentPort.postMessage(message)
  else if (process.connected) process.send?.(message)
}

function receive(message: ToDocuments): void {
  if (message.kind === 'stop') process.exit(0)
  if (message.kind === 'begin') arriving = { document: message, bytes: new Uint8Array(message.size), at: 0 }
  else if (arriving !== undefined) {
    arriving.bytes.set(message.bytes, arriving.at)
    arriving.at += message.bytes.length
  }
  readOnceComplete()
}

function readOnceComplete(): void {
  if (arriving === undefined) return
  const { document, bytes, at } = arriving
  if (at < bytes.length) return send({ kind: 'more' })
  arriving = undefined
  void read(document, bytes).then(send)
}

async function read(
  { type, memoryMb }: Arriving['document'],
  bytes: Uint8Array<ArrayBuffer>,
): Promise<DocumentResponse> {
  const { promise, resolve } = Promise.withResolvers<DocumentResponse>()
  const thread = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } })
  const watch = watchMemory(thread, memoryMb, () => resolve({ kind: 'failed', problem: 'too_much_memory' }))
  thread.once('message', (response: DocumentResponse) => resolve(response))
  // A heap that is used up ends the thread with an error.
  thread.once('error', (error) =>
    resolve({ kind: 'failed', problem: isOutOfMemory(error) ? 'too_much_memory' : 'broken', detail: String(error) }),
  )
  thread.once('exit', () => resolve({ kind: 'failed', problem: 'broken', detail: 'the thread ended' }))
  thread.postMessage({ type, bytes } satisfies DocumentRequest, [bytes.buffer])
  try {
    return await promise
  } finally {
    watch.cancel()
    await thread.terminate()
  }
}

/** Bytes outside the heap are limited by nothing else, and what is unpacked is there. */
function watchMemory(thread: Worker, memoryMb: number, exceed: () => void) {
  return systemClock.every(LOOK_MS, () => {
    if (process.memoryUsage.rss() > (PROGRAM_MB + 2 * memoryMb) * MB) return exceed()
    thread.getHeapStatistics().then(
      ({ external_memory: outside }) => {
        if (outside > memoryMb * MB) exceed()
      },
      // It has ended.
      () => {},
    )
  })
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

if (parentPort) parentPort.on('message', ({ data }) => receive(data))
else {
  process.on('message', (message) => receive(message as ToDocuments))
  // The service is gone.
  process.on('disconnect', () => process.exit(0))
}
// Signals are ignored here: service managers send them to all processes, and the service ends this one itself.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
