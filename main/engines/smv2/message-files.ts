import type { WAMessage } from 'baileys'
import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { BrokenBody } from '../../kernel/outbound.ts'
import type { EngineInstance, EngineSignal } from '../engine.ts'
import { createDownloadSlots } from './download-slots.ts'
import type { Link } from './link.ts'
import { DamagedFile, decrypt } from './media-cipher.ts'
import type { MediaStore } from './media-store.ts'
import type { MediaTransfer } from './media-transfer.ts'
import { parseMessage, type FileRef } from './parse-message.ts'

type Stored = { readonly size: number }
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
  async function download(instance: EngineInstance, mediaId: string, file: FileRef): Promise<Stored | undefined> {
    for (let tried = 0; tried < TRIES; tried++) {
      if (tried > 0) await clock.sleep(PAUSE_MS * 2 ** tried)
      const stored = await withSlot(instance.id, () => downloadOnce(instance, mediaId, file))
      closing.signal.throwIfAborted()
      if (stored === null) return undefined
      if (stored) return stored
    }
    return undefined
  }

  /** @returns undefined if the store does not respond, null if it does not have this file. */
  async function downloadOnce(
    instance: EngineInstance,
    mediaId: string,
    file: FileRef,
  ): Promise<Stored | null | undefined> {
    const encrypted = await transfer.download(instance.accountId, file.path, closing.signal)
    if (!encrypted) return encrypted
    try {
      return await store.keep(instance, { mediaId, ...file }, decrypt(file, encrypted))
    } catch (error) {
      if (error instanceof BrokenBody) return error.reason === 'too_large' ? null : undefined
      if (error instanceof DamagedFile || isTooLarge(error)) return null
      throw error
    } finally {
      encrypted.destroy()
    }
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
      let stored = await download(instance, mediaId, file)
      if (stored === undefined) {
        const renewed = await askPhone(instance, message)
        stored = renewed ? await download(instance, mediaId, renewed) : undefined
      }
      closing.signal.throwIfAborted()
      if (stored === undefined) return miss(instance.id)
      const { mimeType, filename, caption } = file
      return { id: mediaId, mimeType, size: stored.size, filename, caption }
    },
    missing(id) {
      const found = lost.get(id)
      return found !== undefined && clock.now() - found.sinceMs < REMEMBERED_MS ? found : null
    },
    close: () => closing.abort(new Error('the service is stopping')),
  }
}

const isTooLarge = (error: unknown) => error instanceof ApiError && error.code === 'payload_too_large'

async function late(clock: Clock): Promise<never> {
  await clock.sleep(PHONE_MS)
  throw new Error('the phone did not answer')
}
