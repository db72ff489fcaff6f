import { createHash } from 'node:crypto'
import { copyFile, link, mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ApiError } from '../contract/errors.ts'
import type { Clock } from './clock.ts'
import { StorageError, type Db, type Tx } from './db.ts'
import { isDiskFull, syncFile, syncFolder } from './durable-file.ts'
import { contentAt, type FileContent } from './file-content.ts'
import {
  bytesOfKind,
  deleteFile,
  expiredFiles,
  extendFile,
  fileById,
  fileOf,
  insertFile,
  markRemoved,
  rehomeFile,
  type StoredFile,
} from './file-store.ts'
import type { Due } from './due.ts'
import type { Chore } from './housekeeping.ts'
import { earliestId, type AccountId, type Ids } from './ids.ts'

export type { StoredFile } from './file-store.ts'

export interface NewFile extends Pick<StoredFile, 'accountId' | 'kind' | 'name' | 'mimeType'> {
  /** null: when somebody removes it. */
  readonly expiresAt: Due | null
  /** @throws ApiError payload_too_large if the source has more. */
  readonly maxBytes: number
}

/** Names a file of a room. A file of another account or kind does not exist. */
interface FileKey {
  readonly accountId: AccountId
  readonly kind: string
  readonly id: string
}

export interface TemporaryFile extends FileContent {
  remove(): Promise<void>
}

export interface Files {
  /**
   * Streams a file to disk and resolves when the file and its row are durable.
   * @param record writes rows of the room in the commit that makes the file exist.
   * @throws whatever the source throws; then nothing is kept.
   */
  store(
    source: AsyncIterable<Uint8Array>,
    file: NewFile,
    record?: (tx: Tx, stored: StoredFile) => Promise<void>,
  ): Promise<StoredFile>
  /**
   * Takes a file of the home folder that is complete: syncs it, puts it into place and makes its row. It stays where it
   * was until the row exists, so that after a crash its owner can try again.
   * @param record writes rows of the room in the commit that makes the file exist.
   */
  adopt(path: string, file: NewFile, record?: (tx: Tx, stored: StoredFile) => Promise<void>): Promise<StoredFile>
  /**
   * Streams a file to disk that no row names: it is gone when it is removed, or at the next start.
   * @throws whatever the source throws; then nothing is kept.
   */
  storeTemporarily(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<TemporaryFile>
  /** For `new Answer({ file, headers })`, or to read it in a room. */
  find(key: FileKey): Promise<(StoredFile & FileContent) | undefined>
  /** Lets a file expire no earlier than this. @returns false if it is not there any more. */
  keepUntil(tx: Tx, key: FileKey, untilMs: number): Promise<boolean>
  /** The room that the files of this kind take; each counts as 16 kB at least. */
  bytesOf(tx: Tx | null, kind: Pick<FileKey, 'accountId' | 'kind'>): Promise<number>
  /** Gives a file to another account in the caller's commit. */
  rehome(tx: Tx, key: FileKey, to: AccountId): Promise<void>
  /** Removes a file in the caller's commit; its bytes are deleted afterwards. */
  remove(tx: Tx, key: FileKey): Promise<void>
  /** At start, before anything is stored: deletes what an earlier process was still writing. */
  recover(): Promise<void>
  readonly chores: readonly Chore[]
}

interface FilesDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'tagged'>
  /** `files` in the home folder. */
  readonly folder: string
}

/** @param folder `files` in the home folder. */
export const pathOfFile = (folder: string, id: string): string => join(folder, id.slice(-1), id)

const PREFIX = 'fil'
const FILE_ID = /^fil_[0-9A-Z]{26}$/
const PART = '.part'
const ROWS = 100
const COUNTED_AT_LEAST = 16 * 1024
/** The files are in folders named after the last character of their ids, which is random. */
const FOLDERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/**
 * How long a file without a row is kept: after an older copy of the database was restored, the newer copy can still be
 * put back, and its files are there.
 */
const ORPHANS_KEPT_MS = 7 * 86_400_000

/**
 * Files that are too large for the database. A file is written under another name, synced and renamed into place, and
 * one commit makes its row: a crash leaves nothing, or the whole file with its row. Removal is done in reverse: the row
 * expires first, then the bytes are deleted, then the row.
 */
export function createFiles({ db, clock, ids, folder }: FilesDeps): Files {
  const incoming = join(folder, 'incoming')
  const folderOf = (id: string) => dirname(pathOf(id))
  const pathOf = (id: string) => pathOfFile(folder, id)

  async function write<T>(act: (id: string, part: string) => Promise<T>): Promise<T> {
    const id = ids.tagged(PREFIX)
    const part = join(incoming, id + PART)
    const created = await mkdir(incoming, { recursive: true, mode: 0o700 })
    if (created !== undefined) await syncFolder(dirname(folder))
    try {
      return await act(id, part)
    } catch (error) {
      await rm(part, { force: true }).catch(() => {})
      // The commit may have happened; if it did not, the file is an orphan.
      const mayExist = error instanceof StorageError && error.kind === 'unknown'
      if (!mayExist) await rm(pathOf(id), { force: true }).catch(() => {})
      throw isDiskFull(error) ? new StorageError('full', 'A file could not be written', { cause: error }) : error
    }
  }

  async function deleteExpired(): Promise<boolean> {
    const expired = await db.read(expiredFiles, { now: clock.now(), limit: ROWS })
    if (expired.length === 0) return false
    const gone: string[] = []
    let failure: Error | undefined
    for (const { id } of expired) {
      try {
        await rm(pathOf(id), { force: true })
        gone.push(id)
      } catch (error) {
        failure = error as Error
      }
    }
    await db.commit(async (tx) => {
      for (const id of gone) await tx.run(deleteFile, { id })
    })
    if (expired.length === ROWS && gone.length > 0) return true
    if (failure !== undefined) throw failure
    return false
  }

  async function deleteOrphans(name: string): Promise<void> {
    const before = earliestId(PREFIX, clock.now() - ORPHANS_KEPT_MS)
    for (const id of await namesIn(join(folder, name))) {
      if (!FILE_ID.test(id) || id >= before) continue
      if ((await db.readOne(fileById, { id })) === undefined) await rm(pathOf(id), { force: true })
    }
  }

  /** Puts complete bytes into place, then makes the row. */
  async function keep(
    id: string,
    place: (target: string) => Promise<void>,
    { expiresAt, ...about }: Omit<StoredFile, 'id' | 'createdAtMs' | 'expiresAtMs'> & Pick<NewFile, 'expiresAt'>,
    record: ((tx: Tx, stored: StoredFile) => Promise<void>) | undefined,
  ): Promise<StoredFile> {
    await mkdir(folderOf(id), { recursive: true, mode: 0o700 })
    await place(pathOf(id))
    await syncFolder(folderOf(id))
    await syncFolder(folder)
    return db.commit(async (tx) => {
      const stored: StoredFile = { id, ...about, createdAtMs: clock.now(), expiresAtMs: expiresAt?.atMs ?? null }
      await tx.run(insertFile, stored)
      await record?.(tx, stored)
      return stored
    })
  }

  return {
    store: (source, { maxBytes, ...about }, record) =>
      write(async (id, part) => {
        const written = await writePart(part, source, { maxBytes, isDurable: true })
        return keep(id, (target) => rename(part, target), { ...about, ...written }, record)
      }),
    adopt: (path, { maxBytes, ...about }, record) =>
      write(async (id) => {
        const written = await syncWhole(path, maxBytes)
        const stored = await keep(id, (target) => linkOrCopy(path, target), { ...about, ...written }, record)
        await rm(path, { force: true }).catch(() => {})
        return stored
      }),
    storeTemporarily: (source, maxBytes) =>
      write(async (_, part) => {
        const written = await writePart(part, source, { maxBytes, isDurable: false })
        return { ...contentAt(part, written), remove: () => rm(part, { force: true }) }
      }),
    async find(key) {
      if (!FILE_ID.test(key.id)) return undefined
      const stored = await db.readOne(fileOf, { ...key, now: clock.now() })
      return stored && { ...stored, ...contentAt(pathOf(stored.id), stored) }
    },
    async keepUntil(tx, key, until) {
      if ((await tx.one(fileOf, { ...key, now: clock.now() })) === undefined) return false
      await tx.run(extendFile, { ...key, until })
      return true
    },
    async bytesOf(tx, kind) {
      const sum = { ...kind, atLeast: COUNTED_AT_LEAST }
      return (await (tx === null ? db.readOne(bytesOfKind, sum) : tx.one(bytesOfKind, sum)))?.bytes ?? 0
    },
    async rehome(tx, { accountId, kind, id }, to) {
      await tx.run(rehomeFile, { accountId, kind, id, to })
    },
    async remove(tx, { accountId, kind, id }) {
      await tx.run(markRemoved, { accountId, kind, id })
      // If this fails, or the process ends first, the chore deletes the bytes.
      tx.afterCommit(() => void deleteExpired().catch(() => {}))
    },
    async recover() {
      for (const name of await namesIn(incoming))
        // One that cannot be deleted must not keep the service from starting.
        if (name.endsWith(PART)) await rm(join(incoming, name), { force: true }).catch(() => {})
    },
    chores: [
      { name: 'files', begin: () => deleteExpired },
      {
        name: 'files.orphans',
        begin() {
          let left = FOLDERS
          return async () => {
            const next = left.charAt(0)
            left = left.slice(1)
            await deleteOrphans(next)
            return left.length > 0
          }
        },
      },
    ],
  }
}

async function writePart(
  path: string,
  source: AsyncIterable<Uint8Array>,
  { maxBytes, isDurable }: { readonly maxBytes: number; readonly isDurable: boolean },
) {
  const hash = createHash('sha256')
  let size = 0
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of source) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      hash.update(chunk)
      await writeAll(file, chunk)
    }
    if (isDurable) await file.sync()
  } finally {
    await file.close()
  }
  return { size, hash: hash.digest('hex') }
}

/** A link costs no room and no time; file systems that have none get a copy. */
async function linkOrCopy(path: string, target: string): Promise<void> {
  try {
    await link(path, target)
  } catch (error) {
    if (isDiskFull(error)) throw error
    await copyFile(path, target)
    await syncFile(target)
  }
}

/** Of a file that somebody else wrote. */
async function syncWhole(path: string, maxBytes: number) {
  const hash = createHash('sha256')
  let size = 0
  const file = await open(path, 'r+')
  try {
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      hash.update(chunk)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { size, hash: hash.digest('hex') }
}

/** A single write may take only a part of the bytes. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten
}

const tooLarge = (maxBytes: number) =>
  new ApiError('payload_too_large', `The file is larger than ${maxBytes} bytes. Send a smaller one.`).because(
    'file_too_large',
    { mb: Math.floor(maxBytes / 1_000_000) },
  )

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
