import type { WAMessage } from 'baileys'
import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { BrokenBody } from '../../outbound/outbound.ts'
import type { EngineInstance } from '../engine.ts'
import { createDownloadSlots } from './download-slots.ts'
import type { LoadLibrary } from './library.ts'
import type { Link } from './link.ts'
import { DamagedFile, decrypt, verified } from './media-cipher.ts'
import type { MediaStore } from './media-store.ts'
import type { MediaTransfer } from './media-transfer.ts'
import { parseMessage, type FileRef } from './parse-message.ts'

export interface FileDownloadsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly loadLibrary: LoadLibrary
  readonly store: MediaStore
  readonly transferOf: (instance: EngineInstance) => MediaTransfer
  readonly linkOf: (instance: EngineInstance) => Link
}

/** null: damaged or gone, also for the phone. undefined: the store does not respond, so it is worth another try. */
export type Downloaded = { readonly size: number } | null | undefined

const TRIES = 3
const PAUSE_MS = 500
const PHONE_MS = 15_000
/** Larger files have slots of their own, so that pictures do not wait for them. */
const LARGE_BYTES = 8 * 1024 * 1024

/** Downloads files into the store, and verifies them. If one is gone, the sender's phone is asked to upload it again. */
export function createFileDownloads(deps: FileDownloadsDeps, stop: AbortSignal) {
  const { clock, log, loadLibrary, store, transferOf, linkOf } = deps
  const [withSlot, withSlotForLarge] = [createDownloadSlots(), createDownloadSlots()]
  const running = new Map<string, Promise<Downloaded>>()

  async function inTries(
    instance: EngineInstance,
    mediaId: string,
    file: FileRef,
    message: WAMessage,
  ): Promise<Downloaded> {
    const slot = file.size > LARGE_BYTES ? withSlotForLarge : withSlot
    for (let tried = 0; tried < TRIES; tried++) {
      if (tried > 0) await clock.sleep(PAUSE_MS * 2 ** tried)
      const stored = await slot(instance, () => once(instance, mediaId, file, message))
      stop.throwIfAborted()
      if (stored !== undefined) return stored
    }
    return undefined
  }

  async function once(
    instance: EngineInstance,
    mediaId: string,
    file: FileRef,
    message: WAMessage,
  ): Promise<Downloaded> {
    const stored = await transferOf(instance).download(instance.accountId, file.path, stop)
    if (!stored) return stored
    const { type, sha256, encryption } = file
    const plain = encryption ? decrypt({ type, sha256, ...encryption }, stored) : verified(sha256, stored)
    try {
      const { proto } = await loadLibrary()
      const request = Buffer.from(proto.WebMessageInfo.encode(message).finish())
      return await store.keep(instance, { mediaId, ...file }, request, plain)
    } catch (error) {
      if (error instanceof BrokenBody) return error.reason === 'too_large' ? null : undefined
      if (error instanceof DamagedFile || isTooLarge(error)) return null
      throw error
    } finally {
      stored.destroy()
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

  async function withRenewal(instance: EngineInstance, mediaId: string, file: FileRef, message: WAMessage) {
    const stored = await inTries(instance, mediaId, file, message)
    if (stored) return stored
    const renewed = await askPhone(instance, message)
    stop.throwIfAborted()
    return renewed ? inTries(instance, mediaId, renewed, message) : stored
  }

  /** One download of a file at a time; all callers share it. @throws if the service stops meanwhile */
  return function download(
    instance: EngineInstance,
    mediaId: string,
    file: FileRef,
    message: WAMessage,
  ): Promise<Downloaded> {
    const key = `${instance.id} ${mediaId}`
    const known = running.get(key)
    if (known) return known
    const started = withRenewal(instance, mediaId, file, message).finally(() => running.delete(key))
    running.set(key, started)
    return started
  }
}

const isTooLarge = (error: unknown) => error instanceof ApiError && error.code === 'payload_too_large'

async function late(clock: Clock): Promise<never> {
  await clock.sleep(PHONE_MS)
  throw new Error('the phone did not answer')
}
