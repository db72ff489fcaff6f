import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Instances } from '../instances/index.ts'
import type { Safety } from '../safety/index.ts'
import { askedSince, insertPortion, nextNumbers, type CheckRow, type WaitReason } from './store.ts'

interface Answer {
  readonly position: number
  readonly canonical: string | null
}

/** The result of a portion. */
export type Portion =
  | { readonly kind: 'complete' }
  | { readonly kind: 'answers'; readonly answers: readonly Answer[]; readonly pauseMs: number }
  /** Nothing was asked. `untilMs` null: the end is unknown. `isComingBack`: the service is reconnecting. */
  | {
      readonly kind: 'waits'
      readonly reason: WaitReason
      readonly untilMs: number | null
      readonly isComingBack?: boolean
    }
  /** Another check has just asked. */
  | { readonly kind: 'later'; readonly inMs: number }

interface PortionDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly instances: Pick<Instances, 'engineFor' | 'subject'>
  readonly safety: Pick<Safety, 'state'>
}

const DAY_MS = 86_400_000
/** WhatsApp's tolerance for a live number: so many numbers per request, and so long between requests. */
const LIVE = { numbers: 20, pauseMs: 10_000 } as const
const SANDBOX = { numbers: 500, pauseMs: 0 } as const
/** Numbers that may be checked in 24 hours, for each message of the daily limit. */
const NUMBERS_PER_MESSAGE = 5

/** Checks the next numbers, if the asking number is allowed to now. */
export function createPortions({ db, clock, instances, safety }: PortionDeps) {
  /** How many numbers may be checked now; otherwise, the wait. */
  async function allowance({ accountId, id }: InstanceSubject): Promise<number | Portion> {
    const state = await safety.state(db, accountId, id)
    if (state?.restriction) return { kind: 'waits', reason: 'restricted', untilMs: state.restriction.untilMs }
    const limit = state?.today.limit ?? null
    if (limit === null) return Infinity
    const asked = await db.readOne(askedSince, { instanceId: id, since: clock.now() - DAY_MS })
    const left = limit * NUMBERS_PER_MESSAGE - (asked?.asked ?? 0)
    if (left > 0) return left
    return { kind: 'waits', reason: 'daily_limit', untilMs: (asked?.firstAtMs ?? clock.now()) + DAY_MS }
  }

  return async function ask({ accountId, instanceId, seq }: CheckRow): Promise<Portion> {
    const instance = await instances.subject(accountId, instanceId)
    if (!instance?.connected)
      return { kind: 'waits', reason: 'not_connected', untilMs: null, isComingBack: instance?.reconnecting === true }
    const allowed = await allowance(instance)
    if (typeof allowed !== 'number') return allowed
    const pace = instance.network === 'live' ? LIVE : SANDBOX
    const next = await db.read(nextNumbers, { seq, limit: Math.min(pace.numbers, allowed) })
    if (next.length === 0) return { kind: 'complete' }
    const check = instances.engineFor(instance).direct?.check
    if (check === undefined) throw new Error('the engine cannot check numbers')
    // Counted first, because after a crash nobody knows whether the request was made.
    await db.commit((tx) => count(tx, instanceId, next.length))
    try {
      const found = await check(
        instance,
        next.map(({ number }) => number),
      )
      const canonical = new Map(
        found.map((each) => [each.number, each.exists ? (each.canonical ?? each.number) : null]),
      )
      // Numbers without an answer are checked again.
      const answers = next.flatMap(({ position, number }) =>
        canonical.has(number) ? [{ position, canonical: canonical.get(number) ?? null }] : [],
      )
      return { kind: 'answers', answers, pauseMs: pace.pauseMs }
    } catch (error) {
      if (error instanceof ApiError && error.code === 'rate_limited') return { kind: 'later', inMs: LIVE.pauseMs }
      if (error instanceof ApiError && error.code === 'not_ready')
        return { kind: 'waits', reason: 'not_connected', untilMs: null, isComingBack: true }
      throw error
    }
  }

  async function count(tx: Tx, instanceId: string, asked: number): Promise<void> {
    await tx.run(insertPortion, { seq: await tx.next('number_check_portions'), instanceId, asked, now: clock.now() })
  }
}
