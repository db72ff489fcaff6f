import type { EventData, EventType } from '../../contract/events.ts'
import type { SendOrigin } from '../../contract/send-origin.ts'
import { isoTime } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Ledger, LedgerEvent } from '../../kernel/ledger.ts'
import { nextEvent } from './store.ts'

/**
 * Records an event of an instance inside the commit that makes it true, and numbers it within the instance.
 * Works for an instance that the same commit deletes.
 * @param occurredAtMs when it happened, where that is not now (a receipt carries its own time).
 * @param origin of a message that another room sent.
 */
export type Announce = <T extends EventType>(
  tx: Tx,
  instanceId: InstanceId,
  type: T,
  data: EventData[T],
  occurredAtMs?: number,
  origin?: SendOrigin | null,
) => Promise<LedgerEvent>

/** This runs for every send, so it makes one UPDATE and one append to the ledger only. */
export function createAnnounce({
  ledger,
  clock,
}: {
  ledger: Pick<Ledger, 'append'>
  clock: Pick<Clock, 'now'>
}): Announce {
  return async (tx, instanceId, type, data, occurredAtMs = clock.now(), origin = null) => {
    const row = await tx.one(nextEvent, { id: instanceId })
    if (!row) throw new Error(`${type} was announced for an instance that does not exist`)
    return ledger.append(tx, {
      accountId: row.accountId,
      instanceId,
      type,
      instance: {
        id: instanceId,
        external_ref: row.externalRef,
        metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as object),
        engine: row.engine,
      },
      data: { ...data, occurred_at: isoTime(occurredAtMs), sequence: row.sequence },
      origin,
    })
  }
}
