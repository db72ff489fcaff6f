import type { Clock, Timer } from '../../kernel/clock.ts'
import type { InstanceId, Random } from '../../kernel/ids.ts'
import { freeAt, isUnused, UNUSED, usedAfter, type Rate } from '../../kernel/rate.ts'
import { startTimeout } from '../../kernel/timeout.ts'

/** A token bucket: `burst` messages after a pause, and never more than `perMinute` on average. */
interface Limit {
  readonly perMinute: number
  readonly burst: number
}

/** How fast messages leave. */
export interface SendPace {
  readonly line: Limit
  readonly chat: Limit
  /** The shortest time between two messages of a line. The actual one is random, up to twice as long. */
  readonly spacingMs: number
}

/** State of a message in the queue. */
export type Turn =
  /** It may leave. `done` is called once it has left or will not: the next one of its chat waits for that. */
  | { readonly kind: 'go'; readonly done: () => void }
  /** The message would have to wait longer than the caller does. */
  | { readonly kind: 'later'; readonly retryAfterSeconds: number }
  /** The caller has gone, or the line was stopped. */
  | { readonly kind: 'given_up' }

export interface SendQueue {
  /** Waits until a message of this instance may leave for this chat. */
  turn(line: InstanceId, chat: string, signal: AbortSignal): Promise<Turn>
  /** Seconds until a message would get its turn, if that is too long to wait for; otherwise null. */
  retryAfterSeconds(line: InstanceId, chat: string): number | null
  /** The pace of a line has changed. */
  paceChanged(line: InstanceId): void
  /** Ends all waits of a line. */
  release(line: InstanceId): void
  /** Ends all waits, and every later one immediately. */
  close(): void
}

interface SendQueueNeeds {
  readonly clock: Pick<Clock, 'mono' | 'after'>
  readonly random: Pick<Random, 'fraction'>
  /** Read for each message; null: messages leave as they come. */
  readonly pace: (line: InstanceId) => SendPace | null
  readonly maxWaitMs: number
}

interface Waiting {
  readonly chat: string
  readonly enteredMono: number
  readonly end: (turn: Turn) => void
}

/** What a message has to wait for, besides those before it. */
interface Progress {
  /** Until when the limit of the line is used. */
  usedUntilMono: number
  /** The end of the spacing. */
  freeMono: number
  /** The same of each chat. */
  readonly chats: Map<string, number>
}

interface Line extends Progress {
  readonly id: InstanceId
  /** In the order in which they came. */
  readonly waiting: Waiting[]
  /** Chats with a message on its way. */
  readonly busy: Set<string>
  timer: Timer | undefined
}

const PRUNE_AT = 1_000

/**
 * The order in which the messages of each line leave. The one that came first goes first; one whose chat has to wait lets
 * others pass, but never one of its own chat. Memory only: after a restart nothing waits.
 */
export function createSendQueue({ clock, random, pace, maxWaitMs }: SendQueueNeeds): SendQueue {
  const lines = new Map<InstanceId, Line>()
  let isClosed = false

  function lineOf(id: InstanceId): Line {
    const known = lines.get(id)
    if (known) return known
    const line: Line = {
      id,
      ...{ usedUntilMono: UNUSED, freeMono: -Infinity, chats: new Map() },
      ...{ waiting: [], busy: new Set(), timer: undefined },
    }
    lines.set(id, line)
    return line
  }

  function give(line: Line, { chat, end }: Waiting, pace: SendPace): void {
    const now = clock.mono()
    if (line.chats.size >= PRUNE_AT) prune(line.chats, now)
    take(line, chat, pace, now, random.fraction())
    line.busy.add(chat)
    end({
      kind: 'go',
      done() {
        line.busy.delete(chat)
        advance(line)
      },
    })
  }

  /** Releases the messages whose turn it is, and sets the timer for the next one. */
  function advance(line: Line): void {
    line.timer?.cancel()
    line.timer = undefined
    for (;;) {
      const now = clock.mono()
      const [first] = line.waiting
      if (first === undefined) return
      if (now - first.enteredMono >= maxWaitMs) {
        line.waiting.shift()
        first.end(later(line, first.chat, now))
        continue
      }
      const limits = pace(line.id) ?? UNLIMITED
      const next = nextOf(line, line.waiting, limits, now, line.busy)
      if (next !== undefined && next.atMono <= now) {
        const [one] = line.waiting.splice(next.index, 1)
        if (one) give(line, one, limits)
        continue
      }
      const untilMono = Math.min(next?.atMono ?? Infinity, first.enteredMono + maxWaitMs)
      line.timer = startTimeout(clock, untilMono - now, () => advance(line))
      return
    }
  }

  function later(line: Line, chat: string, now: number): Turn {
    const seconds = Math.ceil(waitOf(line, chat, pace(line.id) ?? UNLIMITED, now) / 1_000)
    return { kind: 'later', retryAfterSeconds: Math.max(1, seconds) }
  }

  function refusal(id: InstanceId, chat: string): Extract<Turn, { kind: 'later' }> | null {
    const limits = pace(id)
    const line = lines.get(id)
    if (limits === null || line === undefined) return null
    const waitMs = waitOf(line, chat, limits, clock.mono())
    return waitMs > maxWaitMs ? { kind: 'later', retryAfterSeconds: Math.ceil(waitMs / 1_000) } : null
  }

  function release(line: Line): void {
    line.timer?.cancel()
    line.timer = undefined
    for (const { end } of line.waiting.splice(0)) end(GIVEN_UP)
  }

  return {
    turn(id, chat, signal) {
      if (isClosed || signal.aborted) return Promise.resolve(GIVEN_UP)
      if (pace(id) === null) return Promise.resolve(UNPACED)
      const refused = refusal(id, chat)
      if (refused) return Promise.resolve(refused)
      const line = lineOf(id)
      return new Promise((resolve) => {
        const abort = () => {
          line.waiting.splice(line.waiting.indexOf(mine), 1)
          mine.end(GIVEN_UP)
          advance(line)
        }
        const end = (turn: Turn) => {
          signal.removeEventListener('abort', abort)
          resolve(turn)
        }
        const mine: Waiting = { chat, enteredMono: clock.mono(), end }
        signal.addEventListener('abort', abort)
        line.waiting.push(mine)
        advance(line)
      })
    },
    retryAfterSeconds: (id, chat) => refusal(id, chat)?.retryAfterSeconds ?? null,
    paceChanged(id) {
      const line = lines.get(id)
      if (line) advance(line)
    },
    release(id) {
      const line = lines.get(id)
      if (line) release(line)
    },
    close() {
      isClosed = true
      for (const line of lines.values()) release(line)
    },
  }
}

const GIVEN_UP: Turn = { kind: 'given_up' }
const UNPACED: Turn = { kind: 'go', done() {} }
/** The pace was turned off while messages were waiting. */
const UNLIMITED: SendPace = {
  line: { perMinute: Infinity, burst: 1 },
  chat: { perMinute: Infinity, burst: 1 },
  spacingMs: 0,
}

/** Who goes next, and when: the first of its chat that is due earliest, and of those the one that came first. */
function nextOf(
  { usedUntilMono, freeMono, chats }: Progress,
  waiting: readonly Pick<Waiting, 'chat'>[],
  pace: SendPace,
  now: number,
  passed: ReadonlySet<string>,
): { index: number; atMono: number } | undefined {
  const toChat = rateOf(pace.chat)
  const lineMono = Math.max(now, freeMono, freeAt(usedUntilMono, rateOf(pace.line)))
  const seen = new Set(passed)
  let next: { index: number; atMono: number } | undefined
  for (const [index, { chat }] of waiting.entries()) {
    if (seen.has(chat)) continue
    seen.add(chat)
    const atMono = Math.max(lineMono, freeAt(chats.get(chat) ?? UNUSED, toChat))
    if (next === undefined || atMono < next.atMono) next = { index, atMono }
    if (atMono === lineMono) break
  }
  return next
}

/** How long one more message would wait at most: as if every spacing were the longest. */
function waitOf({ usedUntilMono, freeMono, chats, waiting }: Line, chat: string, pace: SendPace, now: number): number {
  const ahead: Pick<Waiting, 'chat'>[] = [...waiting, { chat }]
  const trial: Progress = { usedUntilMono, freeMono, chats: new Map(chats) }
  let atMono = now
  for (let left = ahead.length; left > 0; left--) {
    const next = nextOf(trial, ahead, pace, atMono, NOBODY)
    if (next === undefined) break
    atMono = next.atMono
    if (next.index === ahead.length - 1) break
    const [one] = ahead.splice(next.index, 1)
    if (one) take(trial, one.chat, pace, atMono, 1)
  }
  return atMono - now
}

const NOBODY: ReadonlySet<string> = new Set()

function take(progress: Progress, chat: string, pace: SendPace, now: number, fraction: number): void {
  progress.freeMono = now + pace.spacingMs * (1 + fraction)
  progress.usedUntilMono = usedAfter(progress.usedUntilMono, rateOf(pace.line), now)
  progress.chats.set(chat, usedAfter(progress.chats.get(chat) ?? UNUSED, rateOf(pace.chat), now))
}

const rateOf = ({ perMinute, burst }: Limit): Rate => ({ intervalMs: 60_000 / perMinute, burst })

function prune(chats: Map<string, number>, now: number): void {
  for (const [chat, usedUntilMono] of chats) if (isUnused(usedUntilMono, now)) chats.delete(chat)
}
