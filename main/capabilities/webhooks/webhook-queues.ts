import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Attempt } from './attempt.ts'
import { nextWindow, shareSlots } from './fairness.ts'
import type { Allowance } from './network-health.ts'

/** State of one webhook in memory: how much is running, how much it can take, whether something waits. */
export interface WebhookQueue {
  readonly seq: number
  maxInFlight: number
  /** Deliveries it has shown it can take at once. Begins at 1 and grows with each success. */
  window: number
  inFlight: number
  isActive: boolean
  /** Answered inside the service, so that no network is needed. */
  isInside: boolean
  /** Has started its one attempt of the first second after a gap. */
  hasSlowStarted: boolean
  /** Something may be due. Only a claim that found nothing takes it back. */
  isWaiting: boolean
  /** Raised with every reason to look, so that a claim that began before it cannot take the reason back. */
  dueRevision: number
  /** Which lane gets the next single slot. */
  isRetryTurn: boolean
  /** Redeliveries a person asked for: claimed already, they take the first slot that frees. */
  readonly redeliveries: Attempt[]
  prefetched: Prefetched
}

/** Due deliveries looked up in advance, so that a long queue is not searched for every slot. Only hints. */
export interface Prefetched {
  readonly fresh: readonly number[]
  readonly retry: readonly number[]
  readonly atMono: number
}

export interface ActiveRow {
  readonly seq: number
  readonly maxInFlight: number
  readonly isInside: boolean
  readonly isDue: boolean
}

export interface Share {
  readonly queue: WebhookQueue
  readonly slots: number
}

export type WebhookQueues = ReturnType<typeof createWebhookQueues>

export const NO_PREFETCH: Prefetched = { fresh: [], retry: [], atMono: -Infinity }

/** Owns the slot accounting. A slot is reserved before its claim is queued and released when the response arrives. */
export function createWebhookQueues({ clock }: { clock: Pick<Clock, 'mono'> }) {
  const queues = new Map<number, WebhookQueue>()
  let turn = 0
  let slowStartUntilMono = -Infinity

  const isSlowStart = () => clock.mono() < slowStartUntilMono
  const limitOf = (queue: WebhookQueue) =>
    isSlowStart() ? Number(!queue.hasSlowStarted) : Math.min(queue.maxInFlight, queue.window)

  function find(seq: number, maxInFlight: number): WebhookQueue {
    let queue = queues.get(seq)
    if (!queue) queues.set(seq, (queue = newQueue(seq, maxInFlight)))
    return queue
  }

  function markDue(seq: number, maxInFlight: number): void {
    const queue = find(seq, maxInFlight)
    queue.isActive = true
    queue.isWaiting = true
    queue.dueRevision++
  }

  /** Takes the redeliveries that fit now; they count against `max_in_flight` like any other. */
  function takeRedeliveries(most: number): Attempt[] {
    const taken: Attempt[] = []
    for (const queue of queues.values()) {
      while (queue.redeliveries.length > 0 && queue.inFlight < limitOf(queue) && taken.length < most) {
        const attempt = queue.redeliveries.shift()
        if (!attempt) break
        queue.inFlight++
        taken.push(attempt)
      }
    }
    return taken
  }

  function removeIdle(queue: WebhookQueue): void {
    if (!queue.isActive && queue.inFlight === 0 && queue.redeliveries.length === 0) queues.delete(queue.seq)
  }

  /** Paused, deactivated or deleted: what is in flight ends, nothing new starts. */
  function retire(seq: number): void {
    const queue = queues.get(seq)
    if (!queue) return
    const idle = {
      isActive: false,
      isWaiting: false,
      window: 1,
      prefetched: NO_PREFETCH,
    } satisfies Partial<WebhookQueue>
    Object.assign(queue, idle)
    removeIdle(queue)
  }

  return {
    /** A delivery of this webhook is due. */
    markDue,
    /** What the database says once a second: all active webhooks, and whether something of theirs is due. */
    refresh(rows: readonly ActiveRow[]): void {
      const active = new Set(rows.map((row) => row.seq))
      for (const row of rows) {
        const queue = find(row.seq, row.maxInFlight)
        queue.isActive = true
        queue.maxInFlight = row.maxInFlight
        queue.isInside = row.isInside
        if (row.isDue) markDue(row.seq, row.maxInFlight)
      }
      for (const queue of queues.values()) {
        queue.isActive = active.has(queue.seq)
        removeIdle(queue)
      }
    },
    /** Starts again with one delivery at a time, after a new URL or a reactivation. */
    restart(seq: number): void {
      const queue = queues.get(seq)
      if (!queue) return
      queue.window = 1
      queue.prefetched = NO_PREFETCH
    },
    /** After a clock jump every webhook gets one attempt in the first second, or the whole backlog would leave together. */
    restartAll(): void {
      slowStartUntilMono = clock.mono() + SLOW_START_MS
      for (const queue of queues.values()) {
        const slowStart = { window: 1, prefetched: NO_PREFETCH, hasSlowStarted: false } satisfies Partial<WebhookQueue>
        Object.assign(queue, slowStart)
      }
    },
    retire,
    /** Deleted. @returns redeliveries that were accepted but have not left; they must be recorded as cut off. */
    drop(seq: number): Attempt[] {
      const waiting = queues.get(seq)?.redeliveries.splice(0) ?? []
      retire(seq)
      return waiting
    },
    redeliver(attempt: Attempt, maxInFlight: number): void {
      find(attempt.target.webhookSeq, maxInFlight).redeliveries.push(attempt)
    },
    /** Decides what starts next and reserves its slots. Every share must be settled. */
    plan(most: number, allowance: Allowance = 'all'): { redeliveries: Attempt[]; shares: Share[] } {
      const redeliveries = takeRedeliveries(most)
      const all = [...queues.values()]
      const prober = allowance === 'probe' ? pickProber(all, turn) : undefined
      const seats = all.map((queue) => {
        const isAllowed = queue.isActive && (allowance === 'all' || queue.isInside || queue === prober)
        const limit = Math.min(limitOf(queue), queue === prober ? 1 : Infinity)
        return {
          limit: isAllowed ? limit : 0,
          inFlight: queue.inFlight,
          isWaiting: queue.isActive && queue.isWaiting,
        }
      })
      const given = shareSlots(seats, most - redeliveries.length, turn++ % Math.max(1, all.length))
      const shares = all.map((queue, i) => ({ queue, slots: given[i] ?? 0 })).filter(({ slots }) => slots > 0)
      for (const { queue, slots } of shares) {
        queue.inFlight += slots
        queue.hasSlowStarted = true
      }
      return { redeliveries, shares }
    },
    /** Gives back the slots of a share that no delivery was obtained for. */
    settle({ queue, slots }: Share, obtained: number): void {
      queue.inFlight -= slots - obtained
      if (obtained === 0) queue.hasSlowStarted = false
    },
    /** An attempt ended; its slot is free. */
    release(seq: number, pressure: 'grow' | 'halve' | 'keep'): void {
      const queue = queues.get(seq)
      if (!queue) return
      queue.inFlight--
      queue.window = nextWindow(queue.window, pressure, LIMITS.maxInFlight)
      removeIdle(queue)
    },
    /** How many deliveries it has shown it can take at once. */
    windowOf(seq: number): number {
      const queue = queues.get(seq)
      return queue ? Math.min(queue.maxInFlight, queue.window) : 1
    },
    /** Something of a webhook that is known already became due. */
    markDueAgain(seq: number): void {
      const queue = queues.get(seq)
      if (queue?.isActive === true) markDue(seq, queue.maxInFlight)
    },
    isFresh: (ahead: Prefetched) => clock.mono() - ahead.atMono <= PREFETCH_MAX_AGE_MS,
    inFlight: () => [...queues.values()].reduce((total, queue) => total + queue.inFlight, 0),
  }
}

/** Old hints would let younger retries overtake older ones that became due meanwhile. */
const PREFETCH_MAX_AGE_MS = 1_000

/** How long after a clock jump each webhook is limited to one attempt. */
const SLOW_START_MS = 1_000

/** Checks whether the network is back. Receivers take turns, because one may be down itself. */
function pickProber(all: readonly WebhookQueue[], turn: number): WebhookQueue | undefined {
  const able = all.filter(({ isInside, isActive, isWaiting, inFlight }) => {
    return !isInside && isActive && isWaiting && inFlight === 0
  })
  return able[turn % Math.max(1, able.length)]
}

function newQueue(seq: number, maxInFlight: number): WebhookQueue {
  return {
    seq,
    maxInFlight,
    window: 1,
    inFlight: 0,
    isActive: true,
    isInside: false,
    hasSlowStarted: false,
    isWaiting: false,
    dueRevision: 0,
    isRetryTurn: false,
    redeliveries: [],
    prefetched: NO_PREFETCH,
  }
}
