import { statfs } from 'node:fs/promises'

/** Room on the disk of a folder that this user may fill. */
export type FreeBytes = (folder: string) => Promise<number>

export const freeBytesOf: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
