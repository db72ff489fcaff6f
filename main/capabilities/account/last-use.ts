import type { Clock, Timer } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { KeyId } from '../../kernel/ids.ts'
import { recordUse } from './store.ts'

export interface LastUse {
  /** Records a use in memory; it is stored with the next batch, at most once a minute per key. */
  readonly record: (id: KeyId) => void
  /** Writes pending updates. */
  readonly close: () => Promise<void>
}

const ONCE_PER_MS = 60_000
const BATCH_AFTER_MS = 1_000

/** When each key was last used. Written in batches, because a write per request would cost more than the request. */
export function createLastUse({ db, clock }: { db: Pick<Db, 'commit'>; clock: Clock }): LastUse {
  const notedAt = new Map<KeyId, number>()
  let waiting = new Map<KeyId, number>()
  let timer: Timer | undefined

  async function flush(): Promise<void> {
    timer?.cancel()
    timer = undefined
    const batch = waiting
    if (batch.size === 0) return
    waiting = new Map()
    try {
      await db.commit(async (tx) => {
        for (const [id, at] of batch) await tx.run(recordUse, { id, at })
      })
    } catch {
      // Storage reports its own errors. The next batch includes these uses.
      waiting = new Map([...batch, ...waiting])
    }
  }

  return {
    record(id) {
      const now = clock.mono()
      if (now - (notedAt.get(id) ?? -ONCE_PER_MS) < ONCE_PER_MS) return
      notedAt.set(id, now)
      waiting.set(id, clock.now())
      timer ??= clock.after(BATCH_AFTER_MS, () => void flush())
    },
    close: flush,
  }
}
