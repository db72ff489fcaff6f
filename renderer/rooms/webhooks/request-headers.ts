import type { DeliveryDetail } from '../../../main/capabilities/webhooks/contract.ts'

interface SentHeader {
  readonly name: string
  /** undefined for values that are created for each attempt and not stored. */
  readonly value: string | undefined
}

/** The headers of the latest attempt. Before the first attempt, the headers that are already known. Spec: Events. */
export function requestHeaders({ event_id, attempt_log, payload }: DeliveryDetail): SentHeader[] {
  const latest = attempt_log.at(-1)
  const sentAt = latest && String(Math.floor(Date.parse(latest.started_at) / 1_000))
  return [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'X-Service-Event-Id', value: event_id },
    ...(sentAt === undefined ? [] : [{ name: 'X-Service-Timestamp', value: sentAt }]),
    { name: 'X-Service-Attempt', value: String(payload.attempt) },
    { name: 'X-Service-Signature', value: undefined },
    { name: 'webhook-id', value: event_id },
    ...(sentAt === undefined ? [] : [{ name: 'webhook-timestamp', value: sentAt }]),
    { name: 'webhook-signature', value: undefined },
  ]
}
