import type { WAMessage } from 'baileys'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause } from '../../kernel/log.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { Alarms } from '../alarms.ts'
import type { ReceivedFile } from '../direct.ts'
import type { EngineInstance, EngineSignal, EngineSink } from '../engine.ts'
import { createFileDownloads, type Downloaded, type FileDownloadsDeps } from './file-downloads.ts'
import { parseMessage, type FileRef } from './parse-message.ts'

type Media = Extract<EngineSignal, { kind: 'received' }>['media']

interface MessageFilesDeps extends FileDownloadsDeps {
  readonly alarms: Alarms
  readonly sink: EngineSink
  /** How long a message waits for its file. */
  readonly waitSeconds: () => number
}

export interface MessageFiles {
  /**
   * Downloads and stores the file of a message. What takes longer than the message waits becomes a pending file: call
   * `follow` once its message is published.
   * @returns null if it is not available. @throws if the service stops meanwhile
   */
  fetch(instance: EngineInstance, mediaId: string, file: FileRef, message: WAMessage): Promise<Media>
  /** The file of a message of long ago: fetched only when somebody asks for it. */
  keepForLater(instance: EngineInstance, mediaId: string, file: FileRef, message: WAMessage): Promise<Media>
  /** Goes on fetching a file whose message was published as pending, and reports it when it is there. */
  follow(instance: EngineInstance, mediaId: string, engineMessageId: string): Promise<void>
  /** A pending file is fetched now. @throws if the store does not respond */
  read(instance: EngineInstance, mediaId: string): Promise<ReceivedFile | null>
  /** Files of the last day that were not available. */
  missing(id: InstanceId): { readonly count: number; readonly sinceMs: number } | null
  /** Takes up what was pending when the service stopped. */
  begin(): Promise<void>
  /** Aborts downloads. Their messages stay in the journal and are published after the next start. */
  close(): void
}

const REMEMBERED_MS = 86_400_000
/** Until a pending file is tried again. After the last one only a request for it fetches it, or the next start. */
const RETRY_DELAYS_MS = [1, 5, 30, 120, 360, 720].map((minutes) => minutes * 60_000)

/** Files attached to received messages. They are downloaded on arrival, because the network deletes them. */
export function createMessageFiles(deps: MessageFilesDeps): MessageFiles {
  const { clock, log, alarms, store, loadLibrary, sink, waitSeconds } = deps
  const lost = new Map<InstanceId, { count: number; sinceMs: number }>()
  const closing = new AbortController()
  const download = createFileDownloads(deps, closing.signal)

  /** @returns undefined if it is not there in time. */
  async function inTime(downloading: Promise<Downloaded>): Promise<{ readonly done: Downloaded } | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const limit = startTimeout(clock, waitSeconds() * 1_000, () => resolve(undefined))
    try {
      return await Promise.race([downloading.then((done) => ({ done })), late])
    } finally {
      limit.cancel()
    }
  }

  async function becomePending(
    instance: EngineInstance,
    mediaId: string,
    file: FileRef,
    message: WAMessage,
    onRequest = false,
  ) {
    const { proto } = await loadLibrary()
    const request = Buffer.from(proto.WebMessageInfo.encode(message).finish())
    await store.keepPending(instance, { mediaId, ...file }, request, onRequest)
    if (!onRequest) log.info({ event: 'smv2.file_pending', instanceId: instance.id })
  }

  /** What to ask for, and the message it came with. */
  async function requested(request: Buffer) {
    const { proto, ...library } = await loadLibrary()
    const message = proto.WebMessageInfo.decode(request)
    const words = parseMessage({ proto, ...library }, message.message ?? {})
    const file = words.kind === 'received' ? words.file : null
    // Written by this class from a message that had a file.
    if (file === null) throw new Error('a pending file without a file')
    return { file, message: message as WAMessage }
  }

  async function fetchPending(instance: EngineInstance, mediaId: string, request: Buffer): Promise<Downloaded> {
    const { file, message } = await requested(request)
    const downloaded = await download(instance, mediaId, file, message)
    if (downloaded) await reportArrival(instance, mediaId, message.key.id ?? '', downloaded.size)
    return downloaded
  }

  const reportArrival = ({ id }: EngineInstance, mediaId: string, engineMessageId: string, size: number) =>
    sink(id, { kind: 'media_arrived', engineMessageId, mediaId, size })

  function miss(id: InstanceId): null {
    const nowMs = clock.now()
    const before = lost.get(id)
    const isRecent = before !== undefined && nowMs - before.sinceMs < REMEMBERED_MS
    lost.set(id, isRecent ? { ...before, count: before.count + 1 } : { count: 1, sinceMs: nowMs })
    log.warn({ event: 'smv2.file_missing', instanceId: id })
    return null
  }

  /** @returns whether it is worth another try. */
  async function tryPending(instance: EngineInstance, mediaId: string): Promise<boolean> {
    const found = await store.find(instance, mediaId)
    if (found?.kind !== 'pending') return false
    const downloaded = await fetchPending(instance, mediaId, found.request())
    if (downloaded === null) miss(instance.id)
    return downloaded === undefined
  }

  async function follow(instance: EngineInstance, mediaId: string, tries: number): Promise<void> {
    const isOpen = await tryPending(instance, mediaId).catch((error: unknown) => {
      log.info({ event: 'smv2.file_not_fetched', instanceId: instance.id, cause: cause(error) })
      return true
    })
    const delayMs = RETRY_DELAYS_MS[tries]
    if (!isOpen || delayMs === undefined || closing.signal.aborted) return
    alarms.set(`file ${instance.id} ${mediaId}`, clock.now() + delayMs, () => void follow(instance, mediaId, tries + 1))
  }

  return {
    async fetch(instance, mediaId, file, message) {
      const { mimeType, filename, caption, preview } = file
      const media = { id: mediaId, mimeType, filename, caption, ...(preview && { preview }) }
      const known = await store.find(instance, mediaId)
      if (known?.kind === 'file') return { ...media, size: known.file.content.size }
      const downloading = download(instance, mediaId, file, message)
      const result = await inTime(downloading)
      closing.signal.throwIfAborted()
      if (result) return result.done ? { ...media, size: result.done.size } : miss(instance.id)
      // Subscribers of the file learn how the download ends.
      downloading.catch(() => {})
      await becomePending(instance, mediaId, file, message)
      return { ...media, size: file.size, pending: true }
    },
    async keepForLater(instance, mediaId, file, message) {
      await becomePending(instance, mediaId, file, message, true)
      const { mimeType, filename, caption, size } = file
      return { id: mediaId, mimeType, filename, caption, size, pending: true }
    },
    async follow(instance, mediaId, engineMessageId) {
      const found = await store.find(instance, mediaId)
      // It arrived while its message was being published.
      if (found?.kind === 'file') await reportArrival(instance, mediaId, engineMessageId, found.file.content.size)
      else await follow(instance, mediaId, 0)
    },
    async read(instance, mediaId) {
      const found = await store.find(instance, mediaId)
      if (found?.kind !== 'pending') return found?.file ?? null
      const downloaded = await fetchPending(instance, mediaId, found.request())
      if (downloaded === undefined) throw new Error('the store of files does not respond')
      const fetched = downloaded && (await store.find(instance, mediaId))
      return fetched?.kind === 'file' ? fetched.file : null
    },
    missing(id) {
      const found = lost.get(id)
      return found !== undefined && clock.now() - found.sinceMs < REMEMBERED_MS ? found : null
    },
    async begin() {
      for await (const { instance, mediaId } of store.pending()) void follow(instance, mediaId, 0)
    },
    close: () => closing.abort(new Error('the service is stopping')),
  }
}
