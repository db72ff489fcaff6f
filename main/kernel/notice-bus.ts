import type { Clock, Timer } from './clock.ts'
import type { AccountId } from './ids.ts'

/** A notice with its place in the order of its account's notices. */
export interface NumberedNotice<N> {
  readonly id: number
  readonly notice: N
}

/** Who watches: the windows of an account, and whether they also show the computer it runs on. */
interface Viewer {
  readonly accountId: AccountId
  readonly isOperator: boolean
}

/** The notices that a viewer may see. */
export interface NoticeFeed<N> {
  /** Notices after `id`; undefined if they are no longer kept. */
  since(id: number): readonly NumberedNotice<N>[] | undefined
  /** Number of the newest notice. */
  latest(): number
  /** @returns ends the listening. */
  subscribe(listener: (notice: NumberedNotice<N>) => void): () => void
}

export interface NoticeBus<N> {
  /**
   * Costs next to nothing, whether somebody listens or not.
   * @param accountId whose windows are notified; null: the operators', in every account.
   */
  publish(accountId: AccountId | null, notice: N): void
  /**
   * Opens the channel of the account. Earlier notices are not kept, so subscribe in the same turn of the event loop.
   */
  feed(viewer: Viewer): NoticeFeed<N>
  close(): void
}

interface Entry<N> extends NumberedNotice<N> {
  readonly isForOperators: boolean
}

interface Channel<N> {
  readonly listeners: Set<(entry: Entry<N>) => void>
  readonly recent: Map<string, { readonly send: () => void; untilMono: number; isAgain: boolean }>
  kept: Entry<N>[]
  newest: number
  usedMono: number
}

const KEPT = 1_000
/** A window that was just notified fetches the data and sees every change until then. */
const COALESCE_MS = 200
const FLUSH_EVERY_MS = 50
/** After this long without a window, what an account's windows missed is no longer kept. */
const IDLE_MS = 60 * 60_000

/**
 * Notices of what changed, for windows that show it. A notice is sent immediately, and while it repeats no more than
 * five times a second, the last time included. Each account has its own channel, opened by its first window, so that
 * not even the numbers say how much happens in another. Numbers begin at the wall clock: those of another boot are
 * never mistaken for ours.
 */
export function createNoticeBus<N extends object>(clock: Pick<Clock, 'now' | 'mono' | 'after'>): NoticeBus<N> {
  const channels = new Map<AccountId, Channel<N>>()
  let highest = clock.now()
  let timer: Timer | undefined
  let isClosed = false

  const send = (channel: Channel<N>, notice: N, isForOperators: boolean) => {
    const entry = { id: ++channel.newest, notice, isForOperators }
    channel.kept.push(entry)
    // Trimmed only now and then: removing one from the front of a long list each time is slow.
    if (channel.kept.length >= 2 * KEPT) channel.kept = channel.kept.slice(-KEPT)
    for (const listener of channel.listeners) listener(entry)
  }

  const publishIn = (channel: Channel<N>, notice: N, isForOperators: boolean) => {
    const name = `${isForOperators ? '*' : ''}${Object.values(notice).join(' ')}`
    const known = channel.recent.get(name)
    if (known !== undefined) {
      known.isAgain = true
      return
    }
    const sendThis = () => send(channel, notice, isForOperators)
    channel.recent.set(name, { send: sendThis, untilMono: clock.mono() + COALESCE_MS, isAgain: false })
    sendThis()
    wait()
  }

  const flush = () => {
    timer = undefined
    const now = clock.mono()
    for (const { recent } of channels.values()) {
      for (const [name, entry] of recent) {
        if (entry.untilMono > now) continue
        if (!entry.isAgain) recent.delete(name)
        else {
          entry.isAgain = false
          entry.untilMono = now + COALESCE_MS
          entry.send()
        }
      }
      if (recent.size > 0) wait()
    }
  }
  const wait = () => {
    if (!isClosed) timer ??= clock.after(FLUSH_EVERY_MS, flush)
  }

  const pruneIdle = () => {
    for (const [accountId, { listeners, usedMono, newest }] of channels) {
      if (listeners.size > 0 || usedMono + IDLE_MS > clock.mono()) continue
      channels.delete(accountId)
      highest = Math.max(highest, newest)
    }
  }

  const channelOf = (accountId: AccountId): Channel<N> => {
    const known = channels.get(accountId)
    if (known !== undefined) return known
    pruneIdle()
    const newest = Math.max(highest + 1, clock.now())
    const made = { listeners: new Set<never>(), recent: new Map(), kept: [], newest, usedMono: clock.mono() }
    channels.set(accountId, made)
    return made
  }

  return {
    publish(accountId, notice) {
      if (accountId === null) for (const channel of channels.values()) publishIn(channel, notice, true)
      else {
        const channel = channels.get(accountId)
        if (channel !== undefined) publishIn(channel, notice, false)
      }
    },
    feed({ accountId, isOperator }) {
      const channel = channelOf(accountId)
      const isSeen = ({ isForOperators }: Entry<N>) => isOperator || !isForOperators
      return {
        since(id) {
          const { kept, newest } = channel
          const first = kept.length > KEPT ? kept.length - KEPT : 0
          const oldest = kept[first]?.id ?? newest + 1
          if (id > newest || id < oldest - 1) return undefined
          return kept.slice(first).filter((entry) => entry.id > id && isSeen(entry))
        },
        latest: () => channel.newest,
        subscribe(listener) {
          const filtered = (entry: Entry<N>) => {
            if (isSeen(entry)) listener(entry)
          }
          channel.listeners.add(filtered)
          return () => {
            channel.listeners.delete(filtered)
            channel.usedMono = clock.mono()
          }
        },
      }
    },
    close() {
      isClosed = true
      timer?.cancel()
      for (const { listeners } of channels.values()) listeners.clear()
    },
  }
}
