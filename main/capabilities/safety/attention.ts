import type { Evidence } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { lineOfInstances } from '../instance-attention.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'
import { connectedOfAccount, type EngineSide } from './store.ts'

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly evidenceOf: (side: EngineSide) => Partial<Evidence>
}

/** Connected numbers that may not start chats. Banned numbers are not connected and reported by the instances room. */
export function createAttention({ db, clock, evidenceOf }: Deps) {
  return async ({ accountId, network }: AttentionQuery): Promise<AttentionLine[]> => {
    const numbers = await db.read(connectedOfAccount, { accountId, network })
    const nowMs = clock.now()
    const restricted = numbers.flatMap(({ instanceId, name, ...side }) => {
      const { restriction } = evidenceOf({ instanceId, accountId, ...side })
      const isActive = restriction && (restriction.untilMs === null || restriction.untilMs > nowMs)
      // The instances room reports numbers that may not even reply.
      if (!isActive || restriction.stops === 'replies') return []
      const { kind, sinceMs, untilMs } = restriction
      return [{ id: instanceId, name, sinceMs, facts: { kind, untilMs } }]
    })
    return lineOfInstances('restricted', 'warning', restricted)
  }
}
