import type { Clock } from '../../kernel/clock.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Alarms } from '../alarms.ts'
import { CONNECT_MS, KEEP_ALIVE_MS } from './connection-times.ts'

/** The library never notices a network that accepts a connection and then says nothing, or says no in plain HTTP. */
const OPENING_SILENCE_MS = CONNECT_MS + 5_000
/** Half a keep-alive after one went unanswered. The library itself takes up to a minute and a half. */
const SILENCE_MS = KEEP_ALIVE_MS + 15_000
/** The answer to a keep-alive is late. That is reported, but it does not end the connection yet. */
const DOUBTFUL_MS = KEEP_ALIVE_MS + 5_000
/** One message without an answer can happen. Two in a row mean that the connection carries nothing. */
const UNANSWERED_AT_MOST = 2

export interface Liveness {
  opening(): void
  opened(): void
  stop(): void
  frame(): void
  /** The network acknowledged a message. */
  answered(latencyMs: number): void
  /** It has not. @returns whether the link should be renewed. */
  unanswered(): boolean
  readonly evidence: () => LivenessEvidence
}

interface LivenessEvidence {
  readonly lastSeenAtMs: number | null
  readonly latencyMs: number | null
  /** Since when an open connection has carried nothing; null: it works. */
  readonly doubtfulSinceMs: number | null
}

interface LivenessDeps {
  readonly clock: Clock
  readonly alarms: Alarms
  readonly id: InstanceId
  readonly onSilence: () => void
}

/** Whether an open connection works, judged by the traffic on it. */
export function createLiveness({ clock, alarms, id, onSilence }: LivenessDeps): Liveness {
  const looking = `silence ${id}`
  let limitMs = OPENING_SILENCE_MS
  let lastFrameMono = 0
  let lastSeenAtMs: number | null = null
  let latencyMs: number | null = null
  let unanswered = 0
  let unansweredSinceMs: number | null = null
  let isOpen = false

  function watch(): void {
    const quietMs = clock.mono() - lastFrameMono
    if (quietMs >= limitMs) return onSilence()
    alarms.set(looking, clock.now() + Math.ceil(limitMs - quietMs), watch)
  }

  function begin(limit: number): void {
    limitMs = limit
    lastFrameMono = clock.mono()
    watch()
  }

  return {
    opening() {
      isOpen = false
      begin(OPENING_SILENCE_MS)
    },
    opened() {
      isOpen = true
      unanswered = 0
      unansweredSinceMs = null
      begin(SILENCE_MS)
    },
    stop() {
      isOpen = false
      alarms.clear(looking)
    },
    frame() {
      lastFrameMono = clock.mono()
      lastSeenAtMs = clock.now()
    },
    answered(tookMs) {
      latencyMs = Math.round(tookMs)
      unanswered = 0
      unansweredSinceMs = null
    },
    unanswered() {
      unanswered++
      unansweredSinceMs ??= clock.now()
      return unanswered >= UNANSWERED_AT_MOST
    },
    evidence() {
      const quietMs = clock.mono() - lastFrameMono
      const silentSinceMs = quietMs >= DOUBTFUL_MS ? lastSeenAtMs : null
      return { lastSeenAtMs, latencyMs, doubtfulSinceMs: isOpen ? (silentSinceMs ?? unansweredSinceMs) : null }
    },
  }
}
