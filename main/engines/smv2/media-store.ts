import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { contentAt } from '../../kernel/file-content.ts'
import type { Files } from '../../kernel/files.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { ReceivedFile } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import {
  fileWithHash,
  insertMedia,
  mediaOf,
  mediaPageOf,
  mediaWithFile,
  mediaWithHash,
  oldestMedia,
  removeMedia,
  type OldMediaRow,
} from './store.ts'

const DAY_MS = 86_400_000
const ROWS = 100
const KIND = 'smv2.media'

/** A file that came with a message. */
interface MediaInfo {
  readonly mediaId: string
  readonly mimeType: string
  readonly filename: string | null
}

export interface MediaStore {
  /**
   * Resolves when the file is durable. Keeping it again is harmless.
   * @param source its bytes, decrypted. @throws whatever the source throws; then nothing is kept.
   */
  keep(instance: EngineInstance, info: MediaInfo, source: AsyncIterable<Uint8Array>): Promise<{ size: number }>
  read(instance: EngineInstance, mediaId: string): Promise<ReceivedFile | null>
  /** Everything of the instance. */
  forget(id: InstanceId): Promise<void>
  /** Removes what is older than the settings say. */
  readonly retention: Chore
}

interface MediaStoreDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly files: Pick<Files, 'store' | 'find' | 'remove'>
  /** Where earlier versions put the files, each under its hash. They stay there until their retention ends. */
  readonly oldFolder: string
  /** The largest file the network carries. */
  readonly maxBytes: number
  readonly keepDays: () => number
}

/** Files that people sent. What ten people forward to an account is stored once. */
export function createMediaStore({ db, clock, files, oldFolder, maxBytes, keepDays }: MediaStoreDeps): MediaStore {
  const oldPathOf = (hash: string) => join(oldFolder, hash.slice(0, 2), hash)

  /** The row goes first: a row without its file would promise what is not there. */
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
    async keep({ id: instanceId, accountId }, { mediaId, mimeType, filename }, source) {
      const about = { accountId, kind: KIND, name: filename, mimeType, expiresAtMs: null, maxBytes }
      return files.store(source, about, async (tx, { id, hash, size }) => {
        const same = await tx.one(fileWithHash, { accountId, hash })
        const row = { seq: await tx.next('smv2'), instanceId, accountId, mediaId, fileId: same?.fileId ?? id }
        const kept = await tx.run(insertMedia, { ...row, hash, mimeType, filename, size, now: clock.now() })
        if (kept === 0 || same !== undefined) await files.remove(tx, { accountId, kind: KIND, id })
      })
    },
    async read({ id: instanceId, accountId }, mediaId) {
      const row = await db.readOne(mediaOf, { instanceId, mediaId })
      if (row === undefined) return null
      const { hash, size, mimeType, filename, fileId } = row
      if (fileId === null) return { mimeType, filename, content: contentAt(oldPathOf(hash), { size, hash }) }
      const content = await files.find({ accountId, kind: KIND, id: fileId })
      return content ? { mimeType, filename, content } : null
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
