import type { CacheStore, GroupMetadata } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'

/** Bounded and without a timer of its own: the library's would run on after each reconnect. */
function createCache(clock: Pick<Clock, 'mono'>, { keepMs, most }: { keepMs: number; most: number }): CacheStore {
  const kept = new Map<string, { readonly value: unknown; readonly untilMono: number }>()
  return {
    get: ((key: string) => {
      const found = kept.get(key)
      if (found !== undefined && found.untilMono > clock.mono()) return found.value
      kept.delete(key)
      return undefined
      // Each key is written and read with the same type.
    }) as CacheStore['get'],
    set(key, value) {
      kept.delete(key)
      kept.set(key, { value, untilMono: clock.mono() + keepMs })
      const [oldest] = kept.keys()
      if (kept.size > most && oldest !== undefined) kept.delete(oldest)
    },
    del: (key) => void kept.delete(key),
    flushAll: () => kept.clear(),
  }
}

const MINUTE_MS = 60_000

/** Caches that are kept across connections, one set per instance. */
export interface Caches {
  readonly devices: CacheStore
  readonly retries: CacheStore
  readonly groups: GroupCache
}

interface GroupCache {
  get(id: string): GroupMetadata | undefined
  set(group: GroupMetadata): void
  forget(id: string): void
}

export function createCaches(clock: Pick<Clock, 'mono'>): Caches {
  const groups = createCache(clock, { keepMs: 5 * MINUTE_MS, most: 200 })
  return {
    devices: createCache(clock, { keepMs: 5 * MINUTE_MS, most: 2_000 }),
    retries: createCache(clock, { keepMs: 60 * MINUTE_MS, most: 2_000 }),
    groups: {
      get: (id) => groups.get<GroupMetadata>(id) as GroupMetadata | undefined,
      set: (group) => void groups.set(group.id, group),
      forget: (id) => void groups.del(id),
    },
  }
}
