import type { Evidence } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'
import { connectedOfAccount, nameOf, type EngineSide } from './store.ts'

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly evidenceOf: (side: EngineSide) => Partial<Evidence>
}

/** Connected numbers that may not start chats. Those that are banned are not connected, and lines of the instances room. */
export function createAttention({ db, clock, evidenceOf }: Deps) {
  return async ({ accountId, network }: AttentionQuery): Promise<AttentionLine[]> => {
    const numbers = await db.read(connectedOfAccount, { accountId, network })
    const nowMs = clock.now()
    const restricted = numbers.flatMap(({ instanceId, ...side }) => {
      const { restriction } = evidenceOf({ instanceId, accountId, ...side })
      const isActive = restriction && (restriction.untilMs === null || restriction.untilMs > nowMs)
      return isActive ? [{ instanceId, sinceMs: restriction.sinceMs }] : []
    })
    const [first] = restricted
    if (!first) return []
    const { instanceId } = first
    const { name } = (await db.readOne(nameOf, { instanceId })) ?? { name: '' }
    return [
      {
        ...{ code: 'restricted', severity: 'warning', count: restricted.length, text: null },
        ids: restricted.map((one) => one.instanceId),
        sinceMs: Math.min(...restricted.map(({ sinceMs }) => sinceMs)),
        subject: restricted.length === 1 ? { id: instanceId, name } : null,
      },
    ]
  }
}
