import { LIMITS } from '../../contract/limits.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Outbound, OutboundAnswer } from '../../outbound/outbound.ts'
import type { DueCall, Webhook } from './store.ts'

/** One claimed attempt. */
export interface Call {
  readonly instanceId: string
  readonly accountId: AccountId
  readonly eventSeq: number
  /** Number of this attempt, from 1. */
  readonly try: number
  readonly webhook: Webhook
  readonly body: Buffer
}

export type CallResult = 'taken' | 'failed' | 'cut_off'

/** Posts one call without a signature; redirects are not followed. */
export async function post(
  outbound: Pick<Outbound, 'request'>,
  { webhook, body, accountId }: Call,
): Promise<CallResult> {
  return verdict(
    await outbound.request({
      url: webhook.url,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'Switchboard-Webhooks/1' },
      body,
      headersTimeoutMs: LIMITS.deliveryTimeoutMs,
      from: { accountId },
    }),
  )
}

function verdict(answer: OutboundAnswer): CallResult {
  if (answer.kind === 'response') return answer.status >= 200 && answer.status <= 299 ? 'taken' : 'failed'
  // Outgoing connections were closed meanwhile, as when the service stops.
  return answer.code === 'aborted' ? 'cut_off' : 'failed'
}

/** `data` is the event's data, which contains no credentials, plus its id and type. */
export function bodyOf(
  instanceId: string,
  { instanceName }: Pick<Webhook, 'instanceName'>,
  { name: event, eventId, type, tail }: Pick<DueCall, 'name' | 'eventId' | 'type' | 'tail'>,
): Buffer {
  // The ledger writes the tail as `,"created_at":…,"data":{…}}`.
  const { data } = JSON.parse(`{${tail.slice(1)}`) as { data: object }
  return Buffer.from(
    JSON.stringify({ event, instanceId, instanceName, data: { event_id: eventId, event_type: type, ...data } }),
  )
}
