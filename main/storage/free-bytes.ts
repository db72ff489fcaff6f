import { statfs } from 'node:fs/promises'

/** Free space for this user on the disk of a folder. */
export type FreeBytes = (folder: string) => Promise<number>

export const freeBytesOf: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
