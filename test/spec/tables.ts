/**
 * The tables of the product's specification, as data. Tests assert them row by row against the running door.
 * Nothing here is derived from the code under test.
 */

export const ENDPOINTS = [
  ['GET', '/v1/me', null],
  ['POST', '/v1/instances', 'instances:write'],
  ['GET', '/v1/instances', 'instances:read'],
  ['PATCH', '/v1/instances/{id}', 'instances:write'],
  ['GET', '/v1/instances/{id}/connection', 'instances:read'],
  ['GET', '/v1/instances/{id}/health', 'instances:read'],
  ['GET', '/v1/instances/{id}/qr', 'instances:read'],
  ['POST', '/v1/instances/{id}/qr/refresh', 'instances:write'],
  ['POST', '/v1/instances/{id}/disconnect', 'instances:write'],
  ['DELETE', '/v1/instances/{id}', 'instances:write'],
  ['POST', '/v1/instances/{id}/messages', 'messages:send'],
  ['GET', '/v1/instances/{id}/messages/{message_id}', 'messages:read'],
  ['GET', '/v1/instances/{id}/messages', 'messages:read'],
  ['POST', '/v1/webhooks', 'webhooks:write'],
  ['GET', '/v1/webhooks/{id}', 'webhooks:read'],
  ['PATCH', '/v1/webhooks/{id}', 'webhooks:write'],
  ['DELETE', '/v1/webhooks/{id}', 'webhooks:write'],
  ['POST', '/v1/webhooks/{id}/rotate-secret', 'webhooks:write'],
  ['GET', '/v1/webhooks/deliveries', 'webhooks:read'],
  ['GET', '/v1/webhooks/deliveries/{id}', 'webhooks:read'],
  ['POST', '/v1/webhooks/deliveries/{id}/retry', 'webhooks:write'],
  ['GET', '/v1/voice/recordings/latest', 'voice:read'],
  ['GET', '/v1/instances/{id}/voice/recordings', 'voice:read'],
  ['GET', '/v1/instances/{id}/voice/recordings/{recording_id}', 'voice:read'],
  ['GET', '/v1/instances/{id}/voice/recordings/{recording_id}/download', 'voice:read'],
  ['GET', '/v1/instances/{id}/webhook', 'instances:read'],
  ['PUT', '/v1/instances/{id}/webhook', 'instances:write'],
  ['DELETE', '/v1/instances/{id}/webhook', 'instances:write'],
  ['POST', '/v1/instances/{id}/restart', 'instances:write'],
  ['POST', '/v1/instances/{id}/recreate', 'instances:write'],
  ['POST', '/v1/instances/batch/recreate', 'instances:write'],
  ['POST', '/v1/instances/{id}/fusion', 'instances:write'],
  ['GET', '/v1/instances/{id}/fusion', 'instances:read'],
  ['DELETE', '/v1/instances/{id}/fusion', 'instances:write'],
  ['POST', '/v1/instances/{id}/access-links', 'links:generate'],
  ['POST', '/v1/instances/{id}/ghl/connect', 'ghl:manage'],
  ['GET', '/v1/billing/plans', 'billing:read'],
  ['POST', '/v1/billing/purchases', 'billing:purchase'],
  ['POST', '/v1/billing/checkouts', 'billing:purchase'],
  ['POST', '/v1/campaigns', 'dispatch:manage'],
  ['GET', '/v1/campaigns/{id}', 'dispatch:read'],
  ['POST', '/v1/campaigns/{id}/pause', 'dispatch:manage'],
  ['POST', '/v1/campaigns/{id}/resume', 'dispatch:manage'],
  ['POST', '/v1/instances/{id}/voice/calls', 'voice:manage'],
  ['POST', '/v1/instances/{id}/voice/calls/batch', 'voice:manage'],
  ['GET', '/v1/instances/{id}/voice/calls', 'voice:read'],
  ['POST', '/v1/instances/{id}/voice/calls/{call_id}/cancel', 'voice:manage'],
  ['GET', '/v1/instances/{id}/voice', 'voice:read'],
  ['POST', '/v1/instances/{id}/voice/enable', 'voice:manage'],
  ['PATCH', '/v1/instances/{id}/voice/settings', 'voice:manage'],
  ['POST', '/v1/instances/{id}/voice/widgets', 'voice:manage'],
  ['PATCH', '/v1/instances/{id}/voice/widgets/{widget_id}', 'voice:manage'],
  ['DELETE', '/v1/instances/{id}/voice/widgets/{widget_id}', 'voice:manage'],
  ['PATCH', '/v1/instances/{id}/ai/settings', 'ai:write'],
  ['PUT', '/v1/instances/{id}/ai/provider-keys/{provider}', 'ai:write'],
  ['POST', '/v1/instances/{id}/ai/agents', 'ai:write'],
  ['POST', '/v1/instances/{id}/ai/agents/{agent_id}/stages', 'ai:write'],
  ['POST', '/v1/instances/{id}/ai/faq', 'ai:write'],
  ['PATCH', '/v1/instances/{id}/ai/follow-up', 'ai:write'],
  ['POST', '/v1/instances/{id}/engine/smv2/{group}/{action}', 'messages:send'],
  ['POST', '/v1/instances/{id}/engine/official/messages', 'messages:send'],
  ['GET', '/v1/instances/{id}/templates', 'messages:read'],
  ['GET', '/v1/instances/{id}/media/{media_id}', 'messages:read'],
] as const

export const SCOPES = [
  'instances:read', 'instances:write', 'messages:send', 'messages:read', 'webhooks:read', 'webhooks:write',
  'ai:read', 'ai:write', 'voice:read', 'voice:manage', 'dispatch:read', 'dispatch:manage',
  'billing:read', 'billing:purchase', 'ghl:manage', 'agency:read', 'agency:manage', 'links:generate',
] as const // oxfmt-ignore

export const SCOPE_SYNONYMS = [
  ['instances:manage', 'instances:write'],
  ['ai:manage', 'ai:write'],
] as const

/** code, status, retryable. `no_saved_card` has no status in the specification. */
export const ERRORS = [
  ['confirmation_required', 400, false],
  ['phone_mismatch', 400, false],
  ['engine_mismatch', 400, false],
  ['insufficient_scope', 403, false],
  ['key_restricted', 403, false],
  ['instance_restricted_key', 403, false],
  ['not_found', 404, false],
  ['external_ref_conflict', 409, false],
  ['not_ready', 409, false],
  ['idempotency_conflict', 409, false],
  ['idempotency_in_progress', 409, false],
  ['already_fused', 409, false],
  ['ambiguous_instance', 409, false],
  ['rate_limited', 429, true],
  ['upstream_unavailable', 502, true],
  ['upstream_timeout', 504, true],
  ['no_saved_card', null, false],
] as const

export const EVENT_TYPES = [
  'instance.created', 'instance.updated', 'instance.connecting', 'instance.connected', 'instance.disconnected',
  'instance.auth_failed', 'instance.qr.updated', 'instance.deleted', 'message.received', 'message.sent',
  'message.delivered', 'message.read', 'message.failed', 'message.edited', 'message.deleted', 'message.reaction',
] as const // oxfmt-ignore

/** from, trigger, to, event. */
export const MESSAGE_TRANSITIONS = [
  ['new', 'send accepted', 'queued', null],
  ['queued', 'engine confirms send', 'sent', 'message.sent'],
  ['sent', 'delivery confirmed', 'delivered', 'message.delivered'],
  ['delivered', 'read confirmed', 'read', 'message.read'],
  ['queued', 'failure', 'failed', 'message.failed'],
  ['sent', 'failure', 'failed', 'message.failed'],
  ['delivered', 'failure', 'failed', 'message.failed'],
] as const

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'exhausted'] as const
export const DISABLED_REASONS = ['gone', 'too_many_failures'] as const

/** Headers of every answer, and of every request to an account webhook. */
export const ANSWER_HEADERS = ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining'] as const
export const DELIVERY_HEADERS = [
  'x-service-event-id',
  'x-service-timestamp',
  'x-service-attempt',
  'x-service-signature',
] as const

export const ENVELOPE_FIELDS = ['event_id', 'type', 'attempt', 'created_at', 'account_id', 'instance', 'data'] as const
export const ENVELOPE_INSTANCE_FIELDS = ['id', 'external_ref', 'metadata', 'engine'] as const
export const RECEIVED_FIELDS = ['message_id', 'chat', 'from', 'from_me', 'is_group', 'type', 'text'] as const
export const CONNECTION_FIELDS = ['connected', 'logged_in', 'name', 'number'] as const
export const QR_FIELDS = ['qr', 'pairing_code'] as const
export const WEBHOOK_FIELDS = ['id', 'url', 'events', 'max_in_flight', 'active', 'secret_last4'] as const

export const LIMITS = {
  externalRefLength: 128,
  metadataPairs: 16,
  requestIdLength: 128,
  idempotencyKeyLength: 200,
  idempotencyHours: 24,
  webhooksPerAccount: 10,
  maxInFlight: [1, 64, 8],
  overlapSeconds: [0, 86_400, 86_400],
  deliveryTimeoutSeconds: 10,
  deliveryAttempts: 8,
  deliverySpanHours: 21,
  manualRetries: 5,
  consecutiveExhausted: 5,
  signatureToleranceSeconds: 300,
  batchRecreate: 50,
} as const
