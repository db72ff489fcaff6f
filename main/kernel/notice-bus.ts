import type { Clock, Timer } from './clock.ts'

/** A notice with its place in the order of all. */
export interface NumberedNotice<N> {
  readonly id: number
  readonly notice: N
}

export interface NoticeBus<N> {
  /** Costs next to nothing, whether somebody listens or not. */
  publish(notice: N): void
  /** Notices after `id`; undefined if they are no longer kept. */
  since(id: number): readonly NumberedNotice<N>[] | undefined
  /** Number of the newest notice. */
  latest(): number
  /** @returns ends the listening. */
  subscribe(listener: (notice: NumberedNotice<N>) => void): () => void
  close(): void
}

const KEPT = 1_000
/** A window that was just notified fetches the data and sees every change until then. */
const COALESCE_MS = 200
const FLUSH_EVERY_MS = 50

/**
 * Notices of what changed, for windows that show it. A notice is sent immediately, and while it repeats no
 * more than five times a second, the last time included. Numbers begin at the wall clock: those of another boot are
 * never mistaken for ours.
 */
export function createNoticeBus<N extends object>(clock: Pick<Clock, 'now' | 'mono' | 'after'>): NoticeBus<N> {
  const listeners = new Set<(notice: NumberedNotice<N>) => void>()
  const recent = new Map<string, { readonly notice: N; untilMono: number; isAgain: boolean }>()
  let kept: NumberedNotice<N>[] = []
  let newest = clock.now()
  let timer: Timer | undefined
  let isClosed = false

  const send = (notice: N) => {
    const numbered = { id: ++newest, notice }
    kept.push(numbered)
    // Cut seldom: taking one off the front of a long list each time would cost the more the busier it is.
    if (kept.length >= 2 * KEPT) kept = kept.slice(-KEPT)
    for (const listener of listeners) listener(numbered)
  }

  const look = () => {
    timer = undefined
    const now = clock.mono()
    for (const [name, entry] of recent) {
      if (entry.untilMono > now) continue
      if (!entry.isAgain) recent.delete(name)
      else {
        entry.isAgain = false
        entry.untilMono = now + COALESCE_MS
        send(entry.notice)
      }
    }
    if (recent.size > 0) wait()
  }
  const wait = () => {
    if (!isClosed) timer ??= clock.after(FLUSH_EVERY_MS, look)
  }

  return {
    publish(notice) {
      const name = Object.values(notice).join(' ')
      const known = recent.get(name)
      if (known !== undefined) {
        known.isAgain = true
        return
      }
      recent.set(name, { notice, untilMono: clock.mono() + COALESCE_MS, isAgain: false })
      send(notice)
      wait()
    },
    since(id) {
      const first = kept.length > KEPT ? kept.length - KEPT : 0
      const oldest = kept[first]?.id ?? newest + 1
      if (id > newest || id < oldest - 1) return undefined
      return kept.slice(first).filter((numbered) => numbered.id > id)
    },
    latest: () => newest,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      isClosed = true
      timer?.cancel()
      listeners.clear()
    },
  }
}
