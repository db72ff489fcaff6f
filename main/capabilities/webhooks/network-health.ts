import type { Clock } from '../../kernel/clock.ts'
import type { OutboundAnswer, OutboundFailure } from '../../outbound/outbound.ts'

/** Why this machine, and not the receivers, is thought to be at fault. */
export type NetworkProblem = 'offline' | 'intercepted' | 'fake_addresses'

/** What may start at the moment: everything, one delivery to find out, or nothing. */
export type Allowance = 'all' | 'probe' | 'none'

/**
 * Separates faults of this machine (no network, captive portal, a VPN that invents addresses) from faults of receivers. It
 * judges what has failed and never holds up a first attempt: a machine with nothing but loopback has no network either
 * and must still work.
 */
export interface NetworkHealth {
  /** An attempt to this host begins. Call `judge` or `cancel` for each. */
  begin(host: string): void
  /**
   * How the attempt ended. May wait a moment for attempts to other hosts that are under way: one failure alone proves
   * nothing, and what comes next to it decides what it was.
   * @returns whether it was this machine's fault, and so uses up nothing.
   */
  judge(host: string, answer: OutboundAnswer): Promise<boolean>
  /** The attempt to this host was called off and says nothing. */
  cancel(host: string): void
  allowance(): Allowance
  /** A probe was sent; the next one waits for the probe interval. */
  probeStarted(): void
  /** Something about the network changed: the next probe goes out at once. */
  probeNow(): void
  /** undefined while the network appears to work. */
  problem(): { readonly kind: NetworkProblem; readonly sinceMs: number } | undefined
}

interface NetworkHealthDeps {
  readonly clock: Pick<Clock, 'now' | 'mono' | 'after'>
  /** Whether this machine has an interface besides loopback. */
  readonly isAttached: () => boolean
  /** The problem began, or is over. */
  readonly onChange: () => void
}

const PROBE_MS = 30_000
/** Failures of different hosts belong together within this time; after a success as long ago, the network is in doubt. */
const WITHIN_MS = 60_000
/** How long a failure waits for what is under way beside it. */
const CORROBORATION_MS = 6_000
/** After that failures count again: a machine that is offline for good is its owner's decision. */
const GIVE_UP_AFTER_MS = 72 * 3_600_000
/** Errors that point to this machine if several hosts have them at the same time. */
type FailureKind = 'no_route' | 'no_name' | 'no_answer' | 'no_trust' | 'fake_address'

const PROBLEM_OF: Readonly<Record<FailureKind, NetworkProblem>> = {
  no_route: 'offline',
  no_name: 'offline',
  no_answer: 'offline',
  no_trust: 'intercepted',
  fake_address: 'fake_addresses',
}
const NO_ROUTE = new Set(['ENETUNREACH', 'ENETDOWN', 'EHOSTUNREACH', 'EHOSTDOWN', 'EADDRNOTAVAIL'])

export function createNetworkHealth({ clock, isAttached, onChange }: NetworkHealthDeps): NetworkHealth {
  const failing = new Map<string, { readonly way: FailureKind; readonly atMono: number }>()
  const underWay = new Map<string, number>()
  let waiters: (() => void)[] = []
  let succeededAtMono = -Infinity
  let current: { readonly kind: NetworkProblem; readonly sinceMs: number } | undefined
  let probeAtMono = -Infinity

  function ended(host: string): void {
    const left = (underWay.get(host) ?? 1) - 1
    if (left > 0) underWay.set(host, left)
    else underWay.delete(host)
  }

  function wakeWaiting(): void {
    const ready = waiters
    waiters = []
    for (const wake of ready) wake()
  }

  function succeeded(): void {
    succeededAtMono = clock.mono()
    failing.clear()
    if (current === undefined) return
    current = undefined
    onChange()
  }

  function blame(way: FailureKind): true {
    if (current === undefined) {
      current = { kind: PROBLEM_OF[way], sinceMs: clock.now() }
      probeAtMono = clock.mono() + PROBE_MS
      onChange()
    }
    return true
  }

  const hostsFailing = (way: FailureKind) =>
    [...failing.values()].filter((one) => one.way === way && clock.mono() - one.atMono <= WITHIN_MS).length

  /** undefined: a second host would decide, and one is under way. */
  function verdict(host: string, way: FailureKind): boolean | undefined {
    if (current !== undefined) return true
    if (!isAttached()) return true
    // The system itself reports that there is no route. Other errors count only after a while without success.
    const isDoubtful = way === 'no_route' || clock.mono() - succeededAtMono >= WITHIN_MS
    if (!isDoubtful) return false
    if (hostsFailing(way) >= 2) return true
    return [...underWay.keys()].some((other) => other !== host) ? undefined : false
  }

  function nextOutcome(): Promise<boolean> {
    return new Promise((resolve) => {
      const late = clock.after(CORROBORATION_MS, () => resolve(false))
      waiters.push(() => {
        late.cancel()
        resolve(true)
      })
    })
  }

  async function decide(host: string, way: FailureKind): Promise<boolean> {
    for (;;) {
      const known = verdict(host, way)
      if (known !== undefined) return known
      const hasNews = await nextOutcome()
      // Another attempt succeeded meanwhile, so the receiver was at fault.
      if (!hasNews || !failing.has(host)) return verdict(host, way) ?? false
    }
  }

  const isOutOfPatience = () => current !== undefined && clock.now() - current.sinceMs > GIVE_UP_AFTER_MS

  return {
    begin: (host) => void underWay.set(host, (underWay.get(host) ?? 0) + 1),
    cancel(host) {
      ended(host)
      wakeWaiting()
    },
    async judge(host, answer) {
      ended(host)
      const way = answer.kind === 'failure' ? failureKindOf(answer) : undefined
      if (hasConnected(answer)) succeeded()
      if (way !== undefined) failing.set(host, { way, atMono: clock.mono() })
      wakeWaiting()
      if (way === undefined || isOutOfPatience()) return false
      return (await decide(host, way)) && blame(way)
    },
    allowance() {
      if (current === undefined || isOutOfPatience()) return 'all'
      return clock.mono() >= probeAtMono ? 'probe' : 'none'
    },
    probeStarted: () => void (probeAtMono = clock.mono() + PROBE_MS),
    probeNow: () => void (probeAtMono = -Infinity),
    problem: () => current,
  }
}

/** TCP and TLS succeeded, so the network works, even if the receiver answered with an error. */
function hasConnected(answer: OutboundAnswer): boolean {
  return answer.kind === 'failure' ? answer.sent : answer.remoteIp !== null
}

/** Refused or reset connections and unknown names are faults of the receiver, not of the network. */
function failureKindOf({ stage, code, sent }: OutboundFailure): FailureKind | undefined {
  if (sent) return undefined
  if (stage === 'dns') return 'no_name'
  if (stage === 'tls') return 'no_trust'
  if (stage === 'timeout') return 'no_answer'
  if (stage === 'connect' && NO_ROUTE.has(code)) return 'no_route'
  return code === 'fake_address' ? 'fake_address' : undefined
}
