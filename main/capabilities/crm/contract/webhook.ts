import { Type, type Static } from 'typebox'
import { CrmSyncPatch, CrmWebhookView } from '../../../contract/crm.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, Nullable } from '../../../contract/shapes.ts'
import { BackfillWish, BackfillBody, BACKFILL_EXAMPLE, CONNECTION_EXAMPLE } from './parts.ts'

const WebhookPatch = Body({
  sync: Type.Optional(CrmSyncPatch),
  paused: Type.Optional(Type.Boolean({ description: 'Holds everything back, both ways, until it is `false`.' })),
  backfill: Type.Optional(BackfillWish),
})

const WebhookBody = Body({
  url: Type.String({
    minLength: 1,
    maxLength: LIMITS.webhookUrlLength,
    description:
      'Where events are posted. Must use https:// and resolve to a public address. `https://catcher.sandbox/{name}` works without a receiver.',
    examples: ['https://n8n.example.com/webhook/switchboard'],
  }),
  sync: Type.Optional(CrmSyncPatch),
})
export type WebhookBody = Static<typeof WebhookBody>

const SecretOnce = Type.Object({
  ...CrmWebhookView.properties,
  secret: Nullable(
    Type.String({ description: 'Begins with `whsec_`. Returned only when it is created or rotated, else `null`.' }),
  ),
})

const RotateBody = Body({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.overlapSeconds,
      default: LIMITS.overlapSeconds,
      description: 'How long the old secret is still accepted and used beside the new one.',
    }),
  ),
})

const WEBHOOK_EXAMPLE: CrmWebhookView = {
  ...CONNECTION_EXAMPLE,
  url: 'https://n8n.example.com/webhook/switchboard',
  secret_last4: 'k3Qz',
  inbound_url: 'https://switchboard.example.com/callbacks/crm/crm_01KJM8Q7GZ2V4N6T8R0P3D5F7H',
}
const ofWebhook = {
  scope: 'ghl:manage',
  reach: 'instance',
  path: '/v1/instances/{id}/crm-webhook',
  origin: 'ours',
} as const

export const webhookContract = {
  setCrmWebhook: operation({
    ...ofWebhook,
    id: 'setCrmWebhook',
    effects: ['destination', 'access'],
    noStore: true,
    method: 'PUT',
    summary: 'Connect an instance with any CRM',
    description: [
      'Joins the instance with HubSpot, Pipedrive, n8n or any other program, in both directions, with the same guarantees as GoHighLevel: in order for each contact, repeated until it is accepted, and never dropped while the other side is down. Setting it again changes the URL and keeps the secret. The secret ends when the key or member that created it is removed, or when a damaged database is replaced with a backup that has an older secret: the webhook then waits, with `last_error.code` `secret_ended`, until a new one is created.',
      '**From here.** Each event is posted as JSON to `url`: `{id, type, created_at, instance, contact, …}`. `id` is the same on every repetition, so discard what you have already. Answer 2xx within ten seconds. `X-Service-Timestamp` and `X-Service-Signature` are made as for account webhooks: `sha256=` + hex HMAC-SHA256 of `timestamp.body` with the secret.',
      [
        '| `type` | Has |',
        '|---|---|',
        '| `message` | `message: {id, direction, type, text, attachments, source, sent_at}`; `direction` is `inbound` from the contact and `outbound` to the contact |',
        '| `status` | `status: {event_id, external_id, status, error}`: of a message you got as the event `event_id`, or posted as `external_id` |',
        '| `opt_out` | `opted_out`: whether the person wants no campaigns and follow-ups; `opt_out: {source, message_id, created_at}` as in `GET /v1/opt-outs`, `null` when it was lifted |',
        '| `call` | `call: {id, direction, from, to, outcome, started_at, duration_seconds, recording_url}` |',
      ].join('\n'),
      'An attachment is `{media_id, mime_type, filename, size, url}`: download `url` with an API key.',
      '**To here.** Post to `inbound_url` with the same two headers, made with the same secret: `{id, type: "message", to, text}` or with `media_url` and `media_type` (`caption` and `filename` as in `POST …/messages`), or `{id, type: "opt_out", phone, opted_out}`. `id` is yours, 1 to 100 characters; the same id is never carried out twice. The answer is 202; what becomes of a message is reported with `status` events. A wrong or missing signature, or a timestamp more than 5 minutes off, is 401.',
    ].join('\n\n'),
    body: WebhookBody,
    reply: {
      status: 201,
      description: 'Connected; `secret` is returned this once.',
      also: { status: 200, description: 'It was connected, and is changed.' },
      schema: SecretOnce,
    },
    errors: ['invalid_url', 'sealed', 'storage_full'],
    examples: {
      body: { url: WEBHOOK_EXAMPLE.url },
      reply: { ...WEBHOOK_EXAMPLE, secret: 'whsec_PiPoFgA5WUoziU9lZOGx+Iu9egCI1C/Ky3PurtWck3Qz' },
    },
    tool: {
      name: 'set_crm_webhook',
      title: 'Connect an instance with any CRM',
      description: 'Joins an instance with another CRM by a signed webhook in both directions.',
      idempotent: true,
      onRequest: true,
      redact: ['secret'],
    },
  }),

  getCrmWebhook: operation({
    ...ofWebhook,
    id: 'getCrmWebhook',
    effects: [],
    method: 'GET',
    summary: 'Get the CRM webhook',
    description: 'The CRM webhook of the instance, what waits, and what is wrong. Without one `connected` is false.',
    reply: { status: 200, description: 'The connection.', schema: CrmWebhookView },
    errors: [],
    examples: { reply: WEBHOOK_EXAMPLE },
    tool: {
      name: 'get_crm_webhook',
      title: 'Get the CRM webhook',
      idempotent: true,
      onRequest: true,
    },
  }),

  updateCrmWebhook: operation({
    ...ofWebhook,
    id: 'updateCrmWebhook',
    effects: ['destination'],
    method: 'PATCH',
    summary: 'Change the CRM webhook',
    description: 'Changes what is synced, and pauses or resumes. A receiver that answered 410 Gone is called again.',
    body: WebhookPatch,
    reply: { status: 200, description: 'The connection.', schema: CrmWebhookView },
    errors: ['invalid_state'],
    examples: { body: { paused: true }, reply: { ...WEBHOOK_EXAMPLE, paused: true } },
    tool: {
      name: 'update_crm_webhook',
      title: 'Change the CRM webhook',
      idempotent: true,
      onRequest: true,
    },
  }),

  removeCrmWebhook: operation({
    ...ofWebhook,
    id: 'removeCrmWebhook',
    effects: ['removal'],
    method: 'DELETE',
    summary: 'Remove the CRM webhook',
    description: 'Ends the sync. What waits is dropped, and `inbound_url` accepts nothing more. Safe to repeat.',
    reply: { status: 204, description: 'Not connected.', schema: null },
    errors: [],
    examples: {},
    tool: {
      name: 'remove_crm_webhook',
      title: 'Remove the CRM webhook',
      idempotent: true,
      onRequest: true,
    },
  }),

  rotateCrmWebhookSecret: operation({
    ...ofWebhook,
    id: 'rotateCrmWebhookSecret',
    effects: ['access'],
    noStore: true,
    method: 'POST',
    path: '/v1/instances/{id}/crm-webhook/rotate-secret',
    summary: 'Rotate the secret of the CRM webhook',
    description:
      'Returns a new secret, once. During `overlap_seconds` requests from here also carry `X-Service-Signature-Previous`, and requests to here may be signed with either. A webhook that waits for a new secret (`secret_ended`) goes on.',
    bodyOptional: true,
    body: RotateBody,
    reply: { status: 200, description: 'The new secret.', schema: SecretOnce },
    errors: ['invalid_state', 'sealed'],
    examples: {
      body: { overlap_seconds: 3_600 },
      reply: { ...WEBHOOK_EXAMPLE, secret: 'whsec_Ln0sA6lQeuJl7PW1NWiF+TOTogKdJB/UmXJloaJak3Qz' },
    },
    // Secrets must not appear in a conversation with an assistant.
    tool: null,
  }),

  backfillCrmWebhook: operation({
    ...ofWebhook,
    id: 'backfillCrmWebhook',
    effects: ['outbound'],
    method: 'POST',
    path: '/v1/instances/{id}/crm-webhook/backfill',
    summary: 'Copy earlier messages to the CRM',
    description:
      'Posts the messages of the last days as `message` events, after everything that is new. What was posted already is not posted again. While one runs: 409 `invalid_state`.',
    bodyOptional: true,
    body: BackfillBody,
    reply: { status: 202, description: 'It runs.', schema: CrmWebhookView },
    errors: ['invalid_state'],
    examples: { body: { days: 30 }, reply: { ...WEBHOOK_EXAMPLE, backfill: BACKFILL_EXAMPLE } },
    tool: {
      name: 'backfill_crm_webhook',
      title: 'Copy earlier messages to the CRM',
      idempotent: false,
      onRequest: true,
    },
  }),
} as const satisfies Contract
