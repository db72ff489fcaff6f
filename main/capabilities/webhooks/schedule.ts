import { LIMITS } from '../../contract/limits.ts'

/** Attempts 2 to 5 come within an hour and are spread wide; the later ones may drift little, or 21 hours would. */
const WIDE_JITTER = 0.2
const NARROW_JITTER = 0.05
const WIDE_GAPS = 4

/** What a receiver that was too slow or too busy is given at least. */
const BREATHING_MS = 60_000
const PATIENCE_MS = 900_000

export interface Wait {
  /** Waits before attempts 2 to 8, in seconds (setting `retry_schedule_s`). */
  readonly schedule: readonly number[]
  /** Counted failures so far, this one included: 1 to 7. */
  readonly counted: number
  /** Chance, uniform in [0, 1). */
  readonly fraction: number
  /** The receiver timed out or answered 429 or 503. */
  readonly isStrained: boolean
  readonly retryAfter: string | undefined
  readonly nowMs: number
}

/** Milliseconds from the end of a failed attempt to the next one. */
export function waitMs(wait: Wait): number {
  const gap = (wait.schedule[wait.counted - 1] ?? wait.schedule.at(-1) ?? 0) * 1_000
  const jitter = wait.counted <= WIDE_GAPS ? WIDE_JITTER : NARROW_JITTER
  const jittered = Math.round(gap * (1 + jitter * (2 * wait.fraction - 1)))
  const base = wait.isStrained ? Math.max(jittered, BREATHING_MS) : jittered
  const asked = retryAfterMs(wait.retryAfter, wait.nowMs)
  if (asked === undefined) return base
  return Math.min(Math.max(asked, base), Math.max(2 * base, PATIENCE_MS))
}

/** Uncounted failures 1 to 8 leave a next attempt; the eighth counted one does not. */
export function isSpent(counted: number): boolean {
  return counted >= LIMITS.deliveryAttempts
}

/** 2 to 10 seconds: what was cut off starts again soon, and not all at once. */
export function resumeMs(fraction: number): number {
  return 2_000 + Math.floor(8_000 * fraction)
}

const SECONDS = /^\d{1,10}$/
/** The one form HTTP lets servers send (RFC 9110, IMF-fixdate). */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** @returns undefined for what is neither seconds nor a date: garbage is ignored, never an error. */
function retryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? ''
  if (SECONDS.test(text)) return Number(text) * 1_000
  if (!HTTP_DATE.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}
