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
  /** Drops cached answers, which may be wrong after sleep or a change of networks. Slow names stay known. */
  expireAll(): void
}

/**
 * The system resolves on four threads, and one unresolvable name can block a thread for ten seconds; offline, lookups
 * pile up without bound. So two run at a time, only one of them for names that were slow or failed, and each name is
 * looked up once at a time. Anybody can create any number of names in their own domain: after three slow or failed
 * names, new names of that domain count as slow too, and a domain can only fill part of the queue.
 */
const CONCURRENCY = 2
const SLOW_MS = 1_000
const GOOD_FOR_MS = 30_000
const BAD_FOR_MS = 5_000
const WAITING_MAX = 512
const KNOWN_MAX = 1_000
const WAITING_MAX_OF_DOMAIN = 64
const SUSPECTS_OF_DOMAIN = 3
const DOMAIN_SUSPECT_FOR_MS = 600_000

interface Known {
  readonly answer: Promise<readonly string[]>
  readonly untilMs: number
  readonly isSuspect: boolean
}

interface PendingLookup {
  readonly domain: string
  /** Whether the last lookup was slow or failed; undefined for a new name. */
  readonly isSuspect: boolean | undefined
  readonly start: () => Promise<void>
}

export function createNameLookup({ clock, resolve }: { clock: Clock; resolve: Resolve }): NameLookup {
  const known = new Map<string, Known>()
  const inFlight = new Map<string, Promise<readonly string[]>>()
  /** When the last names of a domain were slow or failed. */
  const troubles = new Map<string, readonly number[]>()
  const waiting: PendingLookup[] = []
  let running = 0
  let suspectsRunning = 0

  const remember = (host: string, answer: Promise<readonly string[]>, fact: { forMs: number; isSuspect: boolean }) => {
    known.delete(host)
    known.set(host, { answer, untilMs: clock.mono() + fact.forMs, isSuspect: fact.isSuspect })
    dropOldest(known)
    if (!fact.isSuspect) return
    const domain = domainOf(host)
    const atMs = [...(troubles.get(domain) ?? []), clock.mono()].slice(-SUSPECTS_OF_DOMAIN)
    troubles.delete(domain)
    troubles.set(domain, atMs)
    dropOldest(troubles)
  }

  const isSuspectDomain = (domain: string) => {
    const [firstMs, ...others] = troubles.get(domain) ?? []
    return (
      firstMs !== undefined &&
      others.length === SUSPECTS_OF_DOMAIN - 1 &&
      clock.mono() - firstMs < DOMAIN_SUSPECT_FOR_MS
    )
  }

  const startNext = () => {
    while (running < CONCURRENCY) {
      // The state of its domain may have changed while it waited.
      const isSuspect = (one: PendingLookup) => one.isSuspect ?? isSuspectDomain(one.domain)
      const next = waiting.findIndex((one) => suspectsRunning === 0 || !isSuspect(one))
      const [flight] = next === -1 ? [] : waiting.splice(next, 1)
      if (!flight) return
      const counts = isSuspect(flight) ? 1 : 0
      running++
      suspectsRunning += counts
      void flight.start().finally(() => {
        running--
        suspectsRunning -= counts
        startNext()
      })
    }
  }

  const lookUp = (host: string, isSuspect: boolean | undefined) => {
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
    waiting.push({ domain: domainOf(host), isSuspect, start })
    startNext()
    return promise
  }

  return {
    async addresses(host) {
      const last = known.get(host)
      if (last && clock.mono() < last.untilMs) return last.answer
      const underway = inFlight.get(host)
      if (underway) return underway
      const domain = domainOf(host)
      const ofDomain = waiting.filter((one) => one.domain === domain)
      if (waiting.length >= WAITING_MAX || ofDomain.length >= WAITING_MAX_OF_DOMAIN) {
        throw Object.assign(new Error('too many names are waiting to be resolved'), { code: 'EBUSY' })
      }
      return lookUp(host, last?.isSuspect)
    },
    expireAll() {
      // Without a network every name fails.
      troubles.clear()
      for (const [host, fact] of known) known.set(host, { ...fact, untilMs: -Infinity })
    },
  }
}

function dropOldest(known: Map<string, unknown>): void {
  const oldest = known.keys().next().value
  if (known.size > KNOWN_MAX && oldest !== undefined) known.delete(oldest)
}

/** The registered domain, as far as the name's form shows it: `shop.example` or `shop.com.br`. */
function domainOf(host: string): string {
  const labels = host.split('.')
  const isShort = (label: string | undefined) => label !== undefined && label.length <= 3
  return labels.slice(isShort(labels.at(-1)) && isShort(labels.at(-2)) ? -3 : -2).join('.')
}
