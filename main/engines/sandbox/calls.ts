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
/** Calls of before a restart cannot be rejected any more, and neither can those of long ago. */
const MOST_RINGING = 1_000

interface CallsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly sessions: Sessions
  readonly phones: Phones
  readonly timeline: Timeline
}

interface Ringing {
  readonly from: string
  readonly until: Due
}

export type Calls = ReturnType<typeof createCalls>

/** Calls from phones to instances. There is no sound; they ring, and end. */
export function createCalls({ db, clock, random, sessions, phones, timeline }: CallsDeps) {
  const ringing = new Map<string, Ringing>()

  const schedule = (tx: Tx, instanceId: InstanceId, callId: string, due: Due, event: LineEvent) =>
    timeline.schedule(tx, {
      ...{ instanceId, lane: `${instanceId} call ${callId}`, step: 0, due, phone: null, offsetMs: 0 },
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
          await schedule(tx, id, call_id, dueIn(clock, 0), {
            type: 'call.offered',
            data: { ...data, video, group_id: null },
          })
          const ended = { ...data, timestamp: isoTime(end.atMs), reason: 'timeout' }
          await schedule(tx, id, call_id, end, { type: 'call.ended', data: ended })
          ringing.set(`${id} ${call_id}`, { from, until: end })
        }
        for (const [oldest] of ringing) {
          if (ringing.size <= MOST_RINGING) break
          ringing.delete(oldest)
        }
        return { callId: call_id, instanceIds }
      })
    },
    /** @throws ApiError not_found */
    async reject(instanceId: InstanceId, call_id: string): Promise<void> {
      const key = `${instanceId} ${call_id}`
      const found = ringing.get(key)
      const now = clock.now()
      if (found === undefined || found.until.atMs <= now)
        throw new ApiError('not_found', 'No call with this call_id is ringing.')
      ringing.delete(key)
      const data = { call_id, from: found.from, timestamp: isoTime(now) }
      await db.commit((tx) =>
        schedule(tx, instanceId, `${call_id} rejected`, dueIn(clock, 0), { type: 'call.rejected', data }),
      )
    },
  }
}
