import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Engine } from '../../contract/shapes.ts'
import type { Price } from '../../engines/price.ts'
import type { MessageRecord } from './contract/parts.ts'
import type { Message } from './store.ts'

/** The status record (spec: Message status record). @param engine of the instance. */
export function toRecord(message: Message, engine: Engine, price: Price | null): MessageRecord {
  const { createdAtMs, sentAtMs, deliveredAtMs, readAtMs, failedAtMs } = message
  // A message typed on the phone was already on the network when we learned of it.
  const queuedAtMs = message.direction === 'out' ? createdAtMs : null
  return {
    message_id: message.id,
    engine_message_id: message.engineMessageId,
    instance_id: message.instanceId,
    engine,
    to: message.chat,
    type: message.type,
    status: message.status,
    source: message.source,
    idempotency_key: message.idempotencyKey,
    created_at: isoTime(createdAtMs),
    queued_at: isoTimeOrNull(queuedAtMs),
    sent_at: isoTimeOrNull(sentAtMs),
    delivered_at: isoTimeOrNull(deliveredAtMs),
    read_at: isoTimeOrNull(readAtMs),
    failed_at: isoTimeOrNull(failedAtMs),
    held_since: heldSince(message),
    valid_until: validUntil(message),
    error: message.error,
    pricing: price && { ...price },
    history: historyOf({
      queued: queuedAtMs,
      sent: sentAtMs,
      delivered: deliveredAtMs,
      read: readAtMs,
      failed: failedAtMs,
    }),
  }
}

/** Null once the network has reported the result. */
export const heldSince = ({ status, heldSinceMs }: { status: string | null; heldSinceMs: number | null }) =>
  status === 'queued' ? isoTimeOrNull(heldSinceMs) : null

/** Null once it has arrived or failed. */
export const validUntil = ({ status, validUntilMs }: { status: string | null; validUntilMs: number | null }) =>
  status === 'queued' || status === 'sent' ? isoTimeOrNull(validUntilMs) : null

/** A status is dated by its own column; their order is the order of the state machine. */
function historyOf(times: Record<Message['status'], number | null>): MessageRecord['history'] {
  const statuses = ['queued', 'sent', 'delivered', 'read', 'failed'] as const
  return statuses.flatMap((status) => {
    const atMs = times[status]
    return atMs === null ? [] : [{ status, at: isoTime(atMs) }]
  })
}
