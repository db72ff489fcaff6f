import type { Clock, Timer } from '../kernel/clock.ts'

/** Collected notices of one kind, and since when. */
export interface NoteBatch {
  readonly things: ReadonlySet<string>
  readonly sinceMs: number
}

export interface NoteBatcher<K> {
  add(kind: K, thing: string): void
  stop(): void
}

interface BatcherDeps<K> {
  readonly clock: Pick<Clock, 'now' | 'mono' | 'after'>
  /** @returns whether a note was shown. */
  readonly notify: (kind: K, gathered: NoteBatch) => Promise<boolean>
}

/** Long enough that a network outage causes only one notification. */
const FIRST_MS = 1_500
/** Minimum interval between two notifications of a kind. */
const QUIET_MS = 60_000
/** No timer is longer than a second (kernel/clock.ts). */
const LOOK_MS = 500
/** Delay between a commit and its notice. */
const LAG_MS = 1_000

/**
 * Combines events into few notifications: events that come together become one, with at most one of a kind per
 * minute.
 */
export function createNoteBatcher<K>({ clock, notify }: BatcherDeps<K>): NoteBatcher<K> {
  const waiting = new Map<K, { readonly things: Set<string>; readonly sinceMs: number; readonly dueMono: number }>()
  const lastNotified = new Map<K, { readonly atMs: number; readonly mono: number }>()
  let timer: Timer | undefined
  let isStopped = false

  const arm = () => {
    if (!isStopped && waiting.size > 0) timer ??= clock.after(LOOK_MS, look)
  }

  function look(): void {
    timer = undefined
    const now = clock.mono()
    for (const [kind, { things, sinceMs, dueMono }] of waiting) {
      if (dueMono > now) continue
      waiting.delete(kind)
      const before = { atMs: clock.now(), mono: now }
      void notify(kind, { things, sinceMs }).then((wasShown) => wasShown && lastNotified.set(kind, before))
    }
    arm()
  }

  return {
    add(kind, thing) {
      const last = lastNotified.get(kind)
      const found = waiting.get(kind) ?? {
        things: new Set(),
        sinceMs: Math.max(clock.now() - LAG_MS, last?.atMs ?? 0),
        dueMono: Math.max(clock.mono() + FIRST_MS, last === undefined ? 0 : last.mono + QUIET_MS),
      }
      waiting.set(kind, found)
      found.things.add(thing)
      arm()
    },
    stop() {
      isStopped = true
      timer?.cancel()
    },
  }
}
