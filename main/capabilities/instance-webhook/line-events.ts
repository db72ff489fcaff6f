import type { LineEvent, LineEventType } from '../../contract/line-events.ts'
import { isoTime } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { QuietLedger } from '../../kernel/ledger.ts'
import { sql } from '../../kernel/sql.ts'
import type { EventName } from './contract.ts'
import { wants } from './event-names.ts'
import { type DueInstance, insertCall, namesOf } from './store.ts'

const NAME_OF = {
  'call.offered': 'CALL',
  'call.accepted': 'CALL',
  'call.rejected': 'CALL',
  'call.ended': 'CALL',
  'group.joined': 'GROUP',
  'group.participants_changed': 'GROUP',
  'group.join_requests_changed': 'GROUP',
  'group.updated': 'GROUP',
  'presence.updated': 'PRESENCE',
  'contact.updated': 'CONTACT',
} as const satisfies Record<LineEventType, EventName>

/** No account webhook has the number 0, so lists and replays leave these events out. */
const reserve = sql<{ seq: number }>('UPDATE events SET only_for = 0 WHERE seq = :seq')

interface LineEventsDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ledger: QuietLedger
  readonly accountOf: (id: InstanceId) => Promise<AccountId | undefined>
  readonly markDue: (due: DueInstance) => void
}

/**
 * Events of an instance other than messages. Stored only for a webhook that includes them: presence events alone can
 * outnumber all messages.
 */
export function createLineEvents({ db, clock, ledger, accountOf, markDue }: LineEventsDeps) {
  return async (instanceId: InstanceId, { type, data }: LineEvent): Promise<void> => {
    const name = NAME_OF[type]
    const found = await db.readOne(namesOf, { instanceId })
    // This room wrote it with valid names only.
    if (!found || !wants(JSON.parse(found.events) as EventName[], name)) return
    const accountId = await accountOf(instanceId)
    if (accountId === undefined) return
    await db.commit(async (tx) => {
      const now = clock.now()
      const fact = {
        accountId,
        instanceId,
        type,
        instance: { id: instanceId },
        data: { ...data, occurred_at: isoTime(now) },
      }
      const { seq } = await ledger.record(tx, fact)
      await tx.run(reserve, { seq })
      await tx.run(insertCall, { eventSeq: seq, instanceId, name, now })
      tx.afterCommit(() => markDue({ instanceId, accountId }))
    })
  }
}
