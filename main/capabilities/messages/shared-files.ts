import type { Clock, Timer } from '../../kernel/clock.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { MediaFile } from './convert.ts'

/** Between two messages of a campaign there may be minutes. */
const KEPT_MS = 15 * 60_000
const MOST = 20

interface Shared {
  readonly file: Promise<MediaFile>
  users: number
  timer: Timer | undefined
}

export type SharedFiles = ReturnType<typeof createSharedFiles>

/**
 * Files that several sends have in common, each fetched once. One that nobody uses is removed after a quarter of an hour,
 * or when others take its place; what a crash leaves behind is removed at the next start, like every temporary file.
 */
export function createSharedFiles(clock: Pick<Clock, 'mono' | 'after'>) {
  const shared = new Map<string, Shared>()

  function forget(key: string, entry: Shared): void {
    entry.timer?.cancel()
    if (shared.get(key) === entry) shared.delete(key)
    void entry.file.then((file) => file.remove()).catch(() => {})
  }

  function makeRoom(): void {
    for (const [key, entry] of shared) {
      if (shared.size < MOST) return
      if (entry.users === 0) forget(key, entry)
    }
  }

  return {
    /** @param fetch makes the file; what it throws is thrown to everybody who waits for it, and not kept. */
    async take(key: string, fetch: () => Promise<MediaFile>): Promise<MediaFile> {
      let entry = shared.get(key)
      if (entry === undefined) {
        makeRoom()
        entry = { file: fetch(), users: 0, timer: undefined }
        shared.set(key, entry)
      }
      const mine = entry
      mine.timer?.cancel()
      mine.users++
      const file = await mine.file.catch((error: unknown) => {
        if (shared.get(key) === mine) shared.delete(key)
        throw error
      })
      let isReleased = false
      return {
        ...file,
        remove() {
          if (!isReleased && --mine.users === 0) mine.timer = startTimeout(clock, KEPT_MS, () => forget(key, mine))
          isReleased = true
          return Promise.resolve()
        },
      }
    },
  }
}
