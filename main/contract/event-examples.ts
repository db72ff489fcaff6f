import type { EventData, EventType } from './events.ts'

/** Example `data` of each type, without `occurred_at` and `sequence`. Shown in the API reference and sent by test events. */
export const EVENT_EXAMPLES: { readonly [T in EventType]: EventData[T] } = {
  'instance.created': { name: 'Berlin shop', engine: 'smv2', status: 'created' },
  'instance.updated': {
    changes: ['external_ref'],
    previous: { external_ref: null },
    current: { external_ref: 'customer-77' },
  },
  'instance.connecting': { reason: 'start', attempt: 1 },
  'instance.connected': { number: '12025550100', name: 'Berlin shop', reconnected: false, downtime_seconds: null },
  'instance.disconnected': {
    reason: 'connection_lost',
    code: 428,
    will_retry: true,
    next_retry_at: '2026-03-01T09:30:05.000Z',
  },
  'instance.auth_failed': { reason: 'logged_out', code: 401, until: null },
  'instance.qr.updated': { attempt: 1, expires_at: '2026-03-01T09:31:00.000Z' },
  'instance.deleted': { name: 'Berlin shop', deleted_at: '2026-03-01T09:30:00.000Z' },
  'message.received': {
    message_id: 'msg_01JQ5Z8T9V3X7K2M4N6P8R0S1T',
    chat: '12025550123',
    from: '12025550123',
    from_me: false,
    is_group: false,
    chat_type: 'person',
    type: 'text',
    text: 'When will my order arrive?',
    timestamp: '2026-03-01T09:30:00.000Z',
    push_name: 'Ana',
    media: null,
    quoted_message_id: null,
    participant: null,
    referral: null,
    content: null,
    view_once: false,
    forwarded: false,
    frequently_forwarded: false,
  },
  'message.sent': statusData('sent'),
  'message.delivered': statusData('delivered'),
  'message.read': statusData('read'),
  'message.failed': {
    ...statusData('failed'),
    error: {
      code: 'not_on_whatsapp',
      message: 'This number has no account on the network. Check the number.',
      provider_code: 404,
    },
  },
  'message.edited': {
    ...messageData(),
    text: 'When will my order arrive, please?',
    edited_at: '2026-03-01T09:31:00.000Z',
  },
  'message.deleted': { ...messageData(), deleted_by: '12025550123', deleted_at: '2026-03-01T09:32:00.000Z' },
  'message.reaction': { ...messageData(), emoji: '👍' },
}

function statusData(status: EventData['message.sent']['status']): EventData['message.sent'] {
  return {
    message_id: 'msg_01JQ5Z8T9V3X7K2M4N6P8R0S1T',
    to: '12025550123',
    chat: '12025550123',
    status,
    timestamp: '2026-03-01T09:30:00.000Z',
    idempotency_key: 'order-1042',
    source: 'api',
    campaign_id: null,
  }
}

function messageData() {
  return { message_id: 'msg_01JQ5Z8T9V3X7K2M4N6P8R0S1T', chat: '12025550123', from: '12025550123', from_me: false }
}
