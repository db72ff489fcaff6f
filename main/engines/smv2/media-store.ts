import { createHash } from 'node:crypto'
import { access, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { contentAt } from '../../kernel/file-content.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { writeDurably } from '../../kernel/durable-file.ts'
import type { ReceivedFile as StoredFile } from '../direct.ts'
import { insertMedia, mediaOf, mediaWithHash, oldestMedia, removeMedia, mediaPageOf } from './store.ts'

const DAY_MS = 86_400_000
const ROWS = 100

/** A file that came with a message, decrypted. */
interface ReceivedFile {
  readonly mediaId: string
  readonly mimeType: string
  readonly filename: string | null
  readonly bytes: Buffer
}

export interface MediaStore {
  /** Kept twice it is kept once. Resolves when it is durable. */
  keep(id: InstanceId, file: ReceivedFile): Promise<void>
  read(id: InstanceId, mediaId: string): Promise<StoredFile | null>
  /** Everything of the instance. */
  forget(id: InstanceId): Promise<void>
  /** Removes what is older than the settings say. */
  readonly retention: Chore
}

interface MediaStoreNeeds {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly folder: string
  readonly keepDays: () => number
}

/** Files that people sent, in the home folder, each under the hash of its bytes: what ten people forward lies there once. */
export function createMediaStore({ db, clock, folder, keepDays }: MediaStoreNeeds): MediaStore {
  const pathOf = (hash: string) => join(folder, hash.slice(0, 2), hash)

  /** The row goes first: a row without its file would promise what is not there. */
  async function remove(files: readonly { seq: number; hash: string }[]): Promise<void> {
    await db.commit(async (tx) => {
      for (const { seq } of files) await tx.run(removeMedia, { seq })
    })
    for (const { hash } of files) {
      if ((await db.readOne(mediaWithHash, { hash })) === undefined) await rm(pathOf(hash), { force: true })
    }
  }

  return {
    async keep(id, { mediaId, mimeType, filename, bytes }) {
      const hash = createHash('sha256').update(bytes).digest('hex')
      await writeDurably(pathOf(hash), bytes)
      await db.commit(async (tx) => {
        const row = { seq: await tx.next('smv2'), instanceId: id, mediaId, hash, mimeType, filename }
        await tx.run(insertMedia, { ...row, size: bytes.length, now: clock.now() })
      })
    },
    async read(id, mediaId) {
      const row = await db.readOne(mediaOf, { instanceId: id, mediaId })
      if (row === undefined) return null
      const { hash, size, mimeType, filename } = row
      const isThere = await access(pathOf(hash)).then(
        () => true,
        () => false,
      )
      return isThere ? { mimeType, filename, content: contentAt(pathOf(hash), { size, hash }) } : null
    },
    async forget(id) {
      for (;;) {
        const files = await db.read(mediaPageOf, { instanceId: id, limit: ROWS })
        if (files.length === 0) return
        await remove(files)
      }
    },
    retention: {
      name: 'media',
      begin: () => async () => {
        const before = clock.now() - keepDays() * DAY_MS
        const files = await db.read(oldestMedia, { before, limit: ROWS })
        await remove(files)
        return files.length === ROWS
      },
    },
  }
}
