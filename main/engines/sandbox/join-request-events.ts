import type { Tx } from '../../kernel/db.ts'
import { dueIn } from '../../kernel/due.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { LineEventData } from '../../contract/line-events.ts'
import type { Sessions } from './sessions.ts'
import type { Timeline } from './timeline.ts'

interface JoinRequestEventsDeps {
  readonly clock: Clock
  readonly sessions: Pick<Sessions, 'withNumber'>
  readonly timeline: Pick<Timeline, 'schedule'>
}

type Change = LineEventData['group.join_requests_changed']

/** Reports to the instances of a group's admins who asks to join, and who was rejected. */
export type TellAdmins = (tx: Tx, accountId: AccountId, admins: readonly string[], change: Change) => Promise<void>

export function createJoinRequestEvents({ clock, sessions, timeline }: JoinRequestEventsDeps): TellAdmins {
  return async (tx, accountId, admins, data) => {
    const event = { type: 'group.join_requests_changed', data } as const
    for (const instanceId of admins.flatMap((number) => sessions.withNumber(accountId, number))) {
      const place = { lane: `${instanceId} requests ${data.group_id}`, step: 0, due: dueIn(clock, 0) } as const
      const signal = { kind: 'line_event', event } as const
      await timeline.schedule(tx, { instanceId, ...place, phone: null, offsetMs: 0, signal })
    }
  }
}
