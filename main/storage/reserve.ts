import { rmSync, statSync, truncateSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Random } from '../kernel/ids.ts'

/**
 * Room on the disk that is kept for the moment in which there is none: SQLite needs some even to remove rows. Really
 * written, because a file with holes, or one that compresses well, would give nothing back.
 */
export interface Reserve {
  /** How much of it is there. */
  bytes(): number
  /** Gives it back to the disk. @returns whether there was any. */
  release(): boolean
  /** Makes it as large as it should be. @throws when there is no room for it, and leaves nothing behind then. */
  fill(bytes: number): Promise<void>
}

const CHUNK = 1024 * 1024

export function createReserve(home: string, random: Pick<Random, 'bytes'>): Reserve {
  const file = join(home, 'reserve.bin')

  let isReleased = false

  const bytes = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0

  /** @returns false: it was released meanwhile. */
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
      // Removing a file that is still being written gives nothing back.
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
