import type { WAMessage } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { EngineInstance, EngineSignal } from '../engine.ts'
import type { Link } from './link.ts'
import { decryptFile } from './media-cipher.ts'
import type { MediaStore } from './media-store.ts'
import type { MediaTransfer } from './media-transfer.ts'
import { parseMessage, type FileRef } from './parse-message.ts'

type Media = Extract<EngineSignal, { kind: 'received' }>['media']

interface FilesDeps {
  readonly clock: Clock
  readonly log: Log
  readonly store: MediaStore
  readonly transfer: MediaTransfer
  readonly linkOf: (instance: EngineInstance) => Link
}

export interface Files {
  /**
   * Fetches the file of a message and keeps it. What is damaged or gone is asked of the phone once more.
   * @returns null when it cannot be had.
   */
  fetch(instance: EngineInstance, mediaId: string, file: FileRef, message: WAMessage): Promise<Media>
  /** Files of the last day that could not be had. */
  missing(id: InstanceId): { readonly count: number; readonly sinceMs: number } | null
}

const TRIES = 3
const PAUSE_MS = 500
/** Each may hold a hundred megabytes. */
const AT_ONCE = 4
const PHONE_MS = 15_000
const REMEMBERED_MS = 86_400_000

/** Files that come with messages: fetched at once, for the network's store forgets them, and checked. */
export function createFiles({ clock, log, store, transfer, linkOf }: FilesDeps): Files {
  const lost = new Map<InstanceId, { count: number; sinceMs: number }>()
  const waiting: (() => void)[] = []
  let underWay = 0

  async function inTurn<T>(act: () => Promise<T>): Promise<T> {
    if (underWay < AT_ONCE) underWay++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await act()
    } finally {
      // Handed on, so that nobody who comes in between takes it as well.
      const next = waiting.shift()
      if (next) next()
      else underWay--
    }
  }

  /** @returns undefined when it is damaged, gone, or nobody answers. */
  async function download({ accountId }: EngineInstance, file: FileRef): Promise<Buffer | undefined> {
    for (let tried = 0; tried < TRIES; tried++) {
      if (tried > 0) await clock.sleep(PAUSE_MS * 2 ** tried)
      const bytes = await inTurn(() => transfer.download(accountId, file.path))
      if (bytes === null) return undefined
      if (bytes) return decryptFile(file, bytes)
    }
    return undefined
  }

  /** The phone still has what the store has lost, and puts it there again under another name. */
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
      if (bytes === undefined) return miss(instance.id)
      const { mimeType, filename, caption } = file
      await store.keep(instance.id, { mediaId, mimeType, filename, bytes })
      return { id: mediaId, mimeType, size: bytes.length, filename, caption }
    },
    missing(id) {
      const found = lost.get(id)
      return found !== undefined && clock.now() - found.sinceMs < REMEMBERED_MS ? found : null
    },
  }
}

async function late(clock: Clock): Promise<never> {
  await clock.sleep(PHONE_MS)
  throw new Error('the phone did not answer')
}
