import { Readable } from 'node:stream'
import type { WAMessage } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { EngineInstance, EngineSignal } from '../engine.ts'
import { createDownloadSlots } from './download-slots.ts'
import type { Link } from './link.ts'
import { decryptFile } from './media-cipher.ts'
import type { MediaStore } from './media-store.ts'
import type { MediaTransfer } from './media-transfer.ts'
import { parseMessage, type FileRef } from './parse-message.ts'

type Media = Extract<EngineSignal, { kind: 'received' }>['media']

interface MessageFilesDeps {
  readonly clock: Clock
  readonly log: Log
  readonly store: MediaStore
  readonly transfer: MediaTransfer
  readonly linkOf: (instance: EngineInstance) => Link
}

export interface MessageFiles {
  /**
   * Downloads the file of a message and stores it. If it is damaged or gone, the sender's phone is asked to upload it again.
   * @returns null if it is not available. @throws if the service stops meanwhile
   */
  fetch(instance: EngineInstance, mediaId: string, file: FileRef, message: WAMessage): Promise<Media>
  /** Files of the last day that were not available. */
  missing(id: InstanceId): { readonly count: number; readonly sinceMs: number } | null
  /** Aborts downloads. Their messages stay in the journal and are published after the next start. */
  close(): void
}

const TRIES = 3
const PAUSE_MS = 500
const PHONE_MS = 15_000
const REMEMBERED_MS = 86_400_000

/** Files attached to received messages. They are downloaded on arrival, because the network deletes them, and verified. */
export function createMessageFiles({ clock, log, store, transfer, linkOf }: MessageFilesDeps): MessageFiles {
  const lost = new Map<InstanceId, { count: number; sinceMs: number }>()
  const withSlot = createDownloadSlots()
  const closing = new AbortController()

  /** @returns undefined if it is damaged or gone, or if the store does not respond. */
  async function download({ id, accountId }: EngineInstance, file: FileRef): Promise<Buffer | undefined> {
    for (let tried = 0; tried < TRIES; tried++) {
      if (tried > 0) await clock.sleep(PAUSE_MS * 2 ** tried)
      const bytes = await withSlot(id, () => transfer.download(accountId, file.path, closing.signal))
      closing.signal.throwIfAborted()
      if (bytes === null) return undefined
      if (bytes) return decryptFile(file, bytes)
    }
    return undefined
  }

  /** The phone uploads the file again, under another path. */
  async function askPhone(instance: EngineInstance, message: WAMessage): Promise<FileRef | null> {
    const open = linkOf(instance).open()
    if (open === undefined) return null
    try {
      const renewed = await Promise.race([open.sock.updateMediaMessage(message), late(clock)])
      const words = parseMessage(open.library, renewed.message ?? {})
      return words.kind === 'received' ? words.file : null
    } catch (error) {
      log.info({ event: 'smv2.file_not_renewed', instanceId: instance.id, cause: cause(error) })
      return null
    }
  }

  function miss(id: InstanceId): null {
    const nowMs = clock.now()
    const before = lost.get(id)
    const isRecent = before !== undefined && nowMs - before.sinceMs < REMEMBERED_MS
    lost.set(id, isRecent ? { ...before, count: before.count + 1 } : { count: 1, sinceMs: nowMs })
    log.warn({ event: 'smv2.file_missing', instanceId: id })
    return null
  }

  return {
    async fetch(instance, mediaId, file, message) {
      let bytes = await download(instance, file)
      if (bytes === undefined) {
        const renewed = await askPhone(instance, message)
        bytes = renewed ? await download(instance, renewed) : undefined
      }
      closing.signal.throwIfAborted()
      if (bytes === undefined) return miss(instance.id)
      const { mimeType, filename, caption } = file
      await store.keep(instance, { mediaId, mimeType, filename }, Readable.from([bytes]))
      return { id: mediaId, mimeType, size: bytes.length, filename, caption }
    },
    missing(id) {
      const found = lost.get(id)
      return found !== undefined && clock.now() - found.sinceMs < REMEMBERED_MS ? found : null
    },
    close: () => closing.abort(new Error('the service is stopping')),
  }
}

async function late(clock: Clock): Promise<never> {
  await clock.sleep(PHONE_MS)
  throw new Error('the phone did not answer')
}
