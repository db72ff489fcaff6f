import { ApiError } from '../../contract/errors.ts'
import type { LineEvent } from '../../contract/line-events.ts'
import { isoTime } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { dueIn, type Due } from '../../kernel/due.ts'
import type { AccountId, InstanceId, Random } from '../../kernel/ids.ts'
import { phoneMessageId } from './network-ids.ts'
import type { Phones } from './phones.ts'
import type { Sessions } from './sessions.ts'
import type { Timeline } from './timeline.ts'

/** Nobody answers a linked device, so a call that is not rejected rings until the caller gives up. */
const RINGS_MS = 30_000
/** Limit of ringing calls in memory; the oldest can no longer be rejected. Nor can calls from before a restart. */
const MOST_RINGING = 1_000

const laneOf = (instanceId: InstanceId, callId: string) => `${instanceId} call ${callId}`

interface CallsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly sessions: Sessions
  readonly phones: Phones
  readonly timeline: Timeline
}

interface Ringing {
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  readonly from: string
  /** null: rings until `end` is called. */
  readonly until: Due | null
}

export type Calls = ReturnType<typeof createCalls>

/** Simulated calls from phones to instances. They ring and end, without sound. */
export function createCalls({ db, clock, random, sessions, phones, timeline }: CallsDeps) {
  const ringing = new Map<string, Ringing>()

  const listeners: ((callId: string) => void)[] = []
  const ringsOf = (callId: string) => [...ringing].filter(([key]) => key.endsWith(` ${callId}`))
  const isOver = ({ until }: Ringing) => until !== null && until.atMs <= clock.now()

  const schedule = (
    tx: Tx,
    { instanceId, call_id, due, step }: { instanceId: InstanceId; call_id: string; due: Due; step: 0 | 1 },
    event: LineEvent,
  ) =>
    timeline.schedule(tx, {
      ...{ instanceId, lane: laneOf(instanceId, call_id), step, due, phone: null, offsetMs: 0 },
      signal: { kind: 'line_event', event },
    })

  return {
    /** @returns the id of the call, and the instances where it rings. */
    ring(accountId: AccountId, from: string, to: string, video: boolean) {
      const call_id = phoneMessageId(clock.now(), random)
      return db.commit(async (tx) => {
        const now = clock.now()
        const data = { call_id, from, timestamp: isoTime(now) }
        const end = dueIn(clock, RINGS_MS)
        await phones.ensure(tx, accountId, from, now)
        await phones.ensure(tx, accountId, to, now)
        const instanceIds = sessions.withNumber(accountId, to)
        for (const id of instanceIds) {
          const offered = { ...data, video, group_id: null }
          const at = { instanceId: id, call_id }
          await schedule(tx, { ...at, due: dueIn(clock, 0), step: 0 }, { type: 'call.offered', data: offered })
          const ended = { ...data, timestamp: isoTime(end.atMs), reason: 'timeout' }
          await schedule(tx, { ...at, due: end, step: 1 }, { type: 'call.ended', data: ended })
          ringing.set(`${id} ${call_id}`, { accountId, instanceId: id, from, until: end })
        }
        for (const [oldest] of ringing) {
          if (ringing.size <= MOST_RINGING) break
          ringing.delete(oldest)
        }
        return { callId: call_id, instanceIds }
      })
    },
    /** Somebody takes care of the call, and says when it ends: it does not end by itself. */
    async takeOver(call_id: string): Promise<void> {
      await db.commit(async (tx) => {
        for (const [key, one] of ringsOf(call_id)) {
          await timeline.forgetLater(tx, one.instanceId, laneOf(one.instanceId, call_id))
          ringing.set(key, { ...one, until: null })
        }
      })
    },
    async end(call_id: string, reason: string): Promise<void> {
      const rings = ringsOf(call_id)
      if (rings.length === 0) return
      const now = clock.now()
      for (const [key] of rings) ringing.delete(key)
      await db.commit(async (tx) => {
        for (const [, { instanceId, from }] of rings) {
          await timeline.forgetLater(tx, instanceId, laneOf(instanceId, call_id))
          const data = { call_id, from, timestamp: isoTime(now), reason }
          await schedule(tx, { instanceId, call_id, due: dueIn(clock, 0), step: 1 }, { type: 'call.ended', data })
        }
      })
    },
    /** Whether this phone has a ringing call with this id, which it may hang up. */
    isRinging: (accountId: AccountId, from: string, call_id: string): boolean =>
      ringsOf(call_id).some(([, one]) => one.accountId === accountId && one.from === from && !isOver(one)),
    onRejected(listener: (callId: string) => void): void {
      listeners.push(listener)
    },
    /** @throws ApiError not_found */
    async reject(instanceId: InstanceId, call_id: string): Promise<void> {
      const key = `${instanceId} ${call_id}`
      const found = ringing.get(key)
      const now = clock.now()
      if (found === undefined || isOver(found)) throw new ApiError('not_found', 'No call with this call_id is ringing.')
      ringing.delete(key)
      const data = { call_id, from: found.from, timestamp: isoTime(now) }
      await db.commit((tx) =>
        schedule(
          tx,
          { instanceId, call_id: `${call_id} rejected`, due: dueIn(clock, 0), step: 0 },
          { type: 'call.rejected', data },
        ),
      )
      for (const listener of listeners) listener(call_id)
    },
  }
}
