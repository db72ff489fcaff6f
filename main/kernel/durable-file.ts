import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StorageError } from './db.ts'

/** @returns null where there is no such file. */
export async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Replaces the file as a whole, readable by its owner only: a crash leaves the old one or the new one. */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomUUID()}.new`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
    await file.close()
    await rename(draft, path)
  } catch (error) {
    await file.close().catch(() => {})
    await unlink(draft).catch(() => {})
    throw error
  }
  await syncFolder(dirname(path))
}

/** Makes what another program wrote into the file durable. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes renames and removals in it durable. Windows cannot sync a folder and needs no such thing. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const FULL = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL']

/** No room on the disk, or in the owner's share of it: that is the error, or what caused it. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof StorageError && error.kind === 'full') return true
  return ('code' in error && FULL.includes(String(error.code))) || isDiskFull(error.cause)
}
