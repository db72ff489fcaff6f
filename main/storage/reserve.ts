import { rmSync, statSync, truncateSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Random } from '../kernel/ids.ts'

/**
 * Disk space reserved for a full disk: SQLite needs some even to remove rows. Really written, because a sparse or
 * compressible file would free nothing.
 */
export interface Reserve {
  /** Its current size. */
  bytes(): number
  /** Frees it. @returns whether there was any. */
  release(): boolean
  /** Grows it to its full size. @throws Error if there is not enough space, and leaves nothing behind. */
  fill(bytes: number): Promise<void>
}

const CHUNK = 1024 * 1024

export function createReserve(home: string, random: Pick<Random, 'bytes'>): Reserve {
  const file = join(home, 'reserve.bin')

  let isReleased = false

  const bytes = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0

  /** @returns false if it was released meanwhile. */
  async function write(wanted: number): Promise<boolean> {
    const handle = await open(file, 'w', 0o600)
    try {
      for (let left = wanted; left > 0 && !isReleased; left -= CHUNK)
        await handle.write(random.bytes(Math.min(left, CHUNK)))
      await handle.sync()
      return !isReleased
    } finally {
      await handle.close()
    }
  }

  return {
    bytes,
    release() {
      const wasThere = bytes() > 0
      isReleased = true
      // Removing a file that is still being written frees nothing.
      if (wasThere) truncateSync(file)
      rmSync(file, { force: true })
      return wasThere
    },
    async fill(wanted) {
      if (bytes() === wanted) return
      isReleased = false
      await rm(file, { force: true })
      try {
        if (wanted > 0 && !(await write(wanted))) await rm(file, { force: true })
      } catch (error) {
        await rm(file, { force: true })
        throw error
      }
    },
  }
}
