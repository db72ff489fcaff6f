import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { contentAt } from '../../kernel/file-content.ts'
import type { Files } from '../../kernel/files.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { ReceivedFile } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import {
  fileWithHash,
  insertMedia,
  insertPendingMedia,
  mediaOf,
  mediaPageOf,
  mediaWithFile,
  mediaWithHash,
  messageOfMedia,
  oldestMedia,
  pendingMediaPage,
  removeMedia,
  type OldMediaRow,
} from './store.ts'

const DAY_MS = 86_400_000
const ROWS = 100
const KIND = 'smv2.media'
const ownerOf = (instanceId: string, mediaId: string) => `smv2:${instanceId}:media:${mediaId}`

/** A file that came with a message. */
interface MediaInfo {
  readonly mediaId: string
  readonly mimeType: string
  readonly filename: string | null
}

interface ExpectedMedia extends MediaInfo {
  /** As the sender says. */
  readonly size: number
  readonly sha256: Uint8Array
}

type KeptMedia =
  | { readonly kind: 'file'; readonly file: ReceivedFile }
  /** @property request what `keepPending` was given. @throws ApiError sealed */
  | { readonly kind: 'pending'; readonly request: () => Buffer }

export interface MediaStore {
  /**
   * Resolves when the file is durable. Keeping it again is harmless.
   * @param message it came with, by which it can be fetched or passed on again.
   * @param source its bytes, decrypted. @throws whatever the source throws; then nothing is kept.
   */
  keep(
    instance: EngineInstance,
    info: MediaInfo,
    message: Buffer,
    source: AsyncIterable<Uint8Array>,
  ): Promise<{ size: number }>
  /** Stores how to fetch a file later. It is `pending` until it was kept. @param onRequest not before somebody asks. */
  keepPending(instance: EngineInstance, info: ExpectedMedia, request: Buffer, onRequest: boolean): Promise<void>
  find(instance: EngineInstance, mediaId: string): Promise<KeptMedia | undefined>
  /** What `keep` or `keepPending` was given, if it is known. @throws ApiError sealed */
  messageOf(instance: EngineInstance, mediaId: string): Promise<Buffer | undefined>
  /** Of every instance, oldest first. */
  pending(): AsyncIterable<{ readonly instance: EngineInstance; readonly mediaId: string }>
  /** Everything of the instance. */
  forget(id: InstanceId): Promise<void>
  /** Removes what is older than the settings say. */
  readonly retention: Chore
}

interface MediaStoreDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly seal: Seal
  readonly files: Pick<Files, 'store' | 'find' | 'remove'>
  /** Where earlier versions put the files, each under its hash. They stay there until their retention ends. */
  readonly oldFolder: string
  /** The largest file the network carries. */
  readonly maxBytes: number
  readonly keepDays: () => number
}

/** Files that people sent. What ten people forward to an account is stored once. */
export function createMediaStore({
  db,
  clock,
  seal,
  files,
  oldFolder,
  maxBytes,
  keepDays,
}: MediaStoreDeps): MediaStore {
  const oldPathOf = (hash: string) => join(oldFolder, hash.slice(0, 2), hash)

  /** The row is deleted first: a row without its file would offer a file that does not exist. */
  async function remove(rows: readonly OldMediaRow[]): Promise<void> {
    await db.commit(async (tx) => {
      for (const { seq } of rows) await tx.run(removeMedia, { seq })
      for (const { fileId, accountId } of rows) {
        if (fileId === null || accountId === null || (await tx.one(mediaWithFile, { fileId })) !== undefined) continue
        await files.remove(tx, { accountId, kind: KIND, id: fileId })
      }
    })
    for (const { hash, accountId } of rows) {
      if (accountId !== null || (await db.readOne(mediaWithHash, { hash })) !== undefined) continue
      await rm(oldPathOf(hash), { force: true })
    }
  }

  return {
    async keep({ id: instanceId, accountId }, { mediaId, mimeType, filename }, message, source) {
      const sealed = seal.seal(message, ownerOf(instanceId, mediaId))
      const file = { accountId, kind: KIND, name: filename, mimeType, expiresAt: null, maxBytes }
      return files.store(source, file, async (tx, { id, hash, size }) => {
        const same = await tx.one(fileWithHash, { accountId, hash })
        const row = { seq: await tx.next('smv2'), instanceId, accountId, mediaId, fileId: same?.fileId ?? id }
        const about = { hash, mimeType, filename, size, message: sealed }
        const kept = await tx.run(insertMedia, { ...row, ...about, now: clock.now() })
        if (kept === 0 || same !== undefined) await files.remove(tx, { accountId, kind: KIND, id })
      })
    },
    async keepPending(
      { id: instanceId, accountId },
      { mediaId, mimeType, filename, size, sha256 },
      request,
      onRequest,
    ) {
      const pending = seal.seal(request, ownerOf(instanceId, mediaId))
      const hash = Buffer.from(sha256).toString('hex')
      await db.commit(async (tx) => {
        const row = { seq: await tx.next('smv2'), instanceId, accountId, mediaId, hash, mimeType, filename, size }
        await tx.run(insertPendingMedia, { ...row, pending, onRequest: onRequest ? 1 : 0, now: clock.now() })
      })
    },
    async find({ id: instanceId, accountId: ownerId }, mediaId) {
      const row = await db.readOne(mediaOf, { instanceId, mediaId })
      if (row === undefined) return undefined
      const { hash, size, mimeType, filename, fileId, pending, accountId } = row
      if (pending !== null)
        return { kind: 'pending', request: () => seal.openBytes(pending, ownerOf(instanceId, mediaId)) }
      const content =
        fileId === null
          ? contentAt(oldPathOf(hash), { size, hash })
          : await files.find({ accountId: accountId ?? ownerId, kind: KIND, id: fileId })
      return content && { kind: 'file', file: { mimeType, filename, content } }
    },
    async messageOf({ id: instanceId }, mediaId) {
      const { message = null } = (await db.readOne(messageOfMedia, { instanceId, mediaId })) ?? {}
      return message === null ? undefined : seal.openBytes(message, ownerOf(instanceId, mediaId))
    },
    async *pending() {
      for (let after = 0; ;) {
        const rows = await db.read(pendingMediaPage, { after, limit: ROWS })
        for (const { instanceId: id, accountId, mediaId } of rows)
          yield { instance: { id, accountId, engine: 'smv2', network: 'live' }, mediaId }
        after = rows.at(-1)?.seq ?? after
        if (rows.length < ROWS) return
      }
    },
    async forget(id) {
      for (;;) {
        const rows = await db.read(mediaPageOf, { instanceId: id, limit: ROWS })
        if (rows.length === 0) return
        await remove(rows)
      }
    },
    retention: {
      name: 'media',
      begin: () => async () => {
        const before = clock.now() - keepDays() * DAY_MS
        const rows = await db.read(oldestMedia, { before, limit: ROWS })
        await remove(rows)
        return rows.length === ROWS
      },
    },
  }
}
