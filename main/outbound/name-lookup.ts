import { lookup as systemLookup } from 'node:dns/promises'
import type { Clock } from '../kernel/clock.ts'

/** All addresses of a name, in the system's order. Rejects when it does not resolve. */
export type Resolve = (host: string) => Promise<string[]>

export const systemResolve: Resolve = async (host) => {
  const found = await systemLookup(host, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}

export interface NameLookup {
  addresses(host: string): Promise<readonly string[]>
  /** Drops answers: after sleep or a change of network they may be wrong. Which names were slow is still known. */
  expireAll(): void
}

/**
 * The system resolves on four threads, and one dead name can hold a thread for ten seconds; offline, lookups pile up
 * without bound. Hence two at a time, one of them barred to names that were slow or failed, and one flight per name.
 */
const CONCURRENCY = 2
const SLOW_MS = 1_000
const GOOD_FOR_MS = 30_000
const BAD_FOR_MS = 5_000
const WAITING_MAX = 512
const KNOWN_MAX = 1_000

interface Known {
  readonly answer: Promise<readonly string[]>
  readonly untilMs: number
  readonly isSuspect: boolean
}

interface PendingLookup {
  readonly host: string
  readonly isSuspect: boolean
  readonly start: () => Promise<void>
}

export function createNameLookup({ clock, resolve }: { clock: Clock; resolve: Resolve }): NameLookup {
  const known = new Map<string, Known>()
  const inFlight = new Map<string, Promise<readonly string[]>>()
  const waiting: PendingLookup[] = []
  let running = 0
  let suspectsRunning = 0

  const remember = (host: string, answer: Promise<readonly string[]>, fact: { forMs: number; isSuspect: boolean }) => {
    known.delete(host)
    known.set(host, { answer, untilMs: clock.mono() + fact.forMs, isSuspect: fact.isSuspect })
    const oldest = known.keys().next().value
    if (known.size > KNOWN_MAX && oldest !== undefined) known.delete(oldest)
  }

  const startNext = () => {
    while (running < CONCURRENCY) {
      const next = waiting.findIndex(({ isSuspect }) => !isSuspect || suspectsRunning === 0)
      const [flight] = next === -1 ? [] : waiting.splice(next, 1)
      if (!flight) return
      running++
      if (flight.isSuspect) suspectsRunning++
      void flight.start().finally(() => {
        running--
        if (flight.isSuspect) suspectsRunning--
        startNext()
      })
    }
  }

  const lookUp = (host: string, isSuspect: boolean) => {
    const { promise, resolve: succeed, reject } = Promise.withResolvers<readonly string[]>()
    // The caller handles the rejection; the cached promise must not count as unhandled.
    promise.catch(() => {})
    inFlight.set(host, promise)
    const start = async () => {
      const startedMs = clock.mono()
      const isSlow = () => clock.mono() - startedMs > SLOW_MS
      try {
        const found = await resolve(host)
        if (found.length === 0) throw Object.assign(new Error(`${host} has no address`), { code: 'ENODATA' })
        remember(host, promise, { forMs: GOOD_FOR_MS, isSuspect: isSlow() })
        succeed(found)
      } catch (error) {
        remember(host, promise, { forMs: BAD_FOR_MS, isSuspect: true })
        reject(error)
      } finally {
        inFlight.delete(host)
      }
    }
    waiting.push({ host, isSuspect, start })
    startNext()
    return promise
  }

  return {
    async addresses(host) {
      const last = known.get(host)
      if (last && clock.mono() < last.untilMs) return last.answer
      const underway = inFlight.get(host)
      if (underway) return underway
      if (waiting.length >= WAITING_MAX) {
        throw Object.assign(new Error('too many names are waiting to be resolved'), { code: 'EBUSY' })
      }
      return lookUp(host, last?.isSuspect ?? false)
    },
    expireAll() {
      for (const [host, fact] of known) known.set(host, { ...fact, untilMs: -Infinity })
    },
  }
}
