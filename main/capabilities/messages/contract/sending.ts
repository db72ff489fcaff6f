import { Type, type Static } from 'typebox'
import { GROUP_ID, NUMBER, USER_ID } from '../../../contract/addresses.ts'
import { Interactive } from '../../../contract/interactive.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { TEXT_LIMITS } from '../../../contract/message-limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, Engine, MEDIA_TYPES, Timestamp } from '../../../contract/shapes.ts'
import { MessageRecord, RECORD_EXAMPLE } from './parts.ts'

const { image, audio, video, document } = LIMITS.mediaMegabytes

/** Content-Types that an upload may declare. Any other file is `application/octet-stream`: its content tells more. */
const UPLOAD_TYPES = [
  ...['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
  ...['audio/ogg', 'audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/amr', 'audio/wav'],
  ...['video/mp4', 'video/3gpp', 'video/quicktime', 'video/webm'],
  ...['application/pdf', 'application/zip', 'application/msword', 'application/vnd.ms-excel'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ...['application/vnd.ms-powerpoint', 'text/plain', 'text/csv', 'application/octet-stream'],
  // Other names of some of these.
  ...['image/jpg', 'audio/mp3', 'audio/m4a', 'audio/x-m4a', 'audio/webm', 'binary/octet-stream'],
] as const

/** Spec: Message send request. draft.ts checks that exactly one kind of content is given, with a clearer error. */
export const SendBody = Body(
  {
    // Not the shared Digits: its description completes "to must be …" when a number is refused.
    to: Type.String({
      pattern: `^(?:${NUMBER}|${USER_ID}|${GROUP_ID})$`,
      description:
        'The destination number with country code: 7 to 15 digits and nothing else. For someone who hides their number, ' +
        'the id from `from`. For a group (smv2 only), its id: `…@g.us`, from `chat` or the action group/list.',
      examples: ['12025550123'],
    }),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.textLength,
        description: `1 to ${LIMITS.textLength} characters; ${TEXT_LIMITS.official.text} on official.`,
      }),
    ),
    media_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.mediaUrlLength,
        description:
          'URL of the file, or a Google Drive or Dropbox link. It must be public and answer 200 in 10 seconds ' +
          'without a redirect, with a file of `media_type`. ' +
          `Maximum: image ${image} MB, audio ${audio} MB, video ${video} MB, document ${document} MB.`,
      }),
    ),
    media_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.messageIdLength,
        description: 'An upload of `POST /v1/media`.',
      }),
    ),
    media_type: Type.Optional(
      Type.Enum([...MEDIA_TYPES], {
        description: 'The kind of file. Required with media.',
      }),
    ),
    caption: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.captionLength,
        description: 'Text below the media.',
      }),
    ),
    filename: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.filenameLength,
        description: 'The file name the recipient sees.',
      }),
    ),
    gif: Type.Optional(
      Type.Boolean({
        description:
          'On smv2: a GIF, which loops without sound. Send an mp4, or a GIF file, which is converted to one.',
      }),
    ),
    voice: Type.Optional(
      Type.Boolean({
        description:
          'A voice note. Recordings in mp3, m4a, aac, wav and other formats are converted to the form that phones ' +
          'record. Without `voice`, only an Ogg/Opus file becomes one. Over 512 KB it is a sound file on official.',
      }),
    ),
    mentions: Type.Optional(
      Type.Array(Type.String({ pattern: `^${NUMBER}$`, examples: ['12025550123'] }), {
        minItems: 1,
        maxItems: LIMITS.mentions,
        uniqueItems: true,
        description: 'In groups on smv2: members to mention. Write each as `@` and the number in `text` or `caption`.',
      }),
    ),
    quoted_message_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.messageIdLength,
        description: 'The `message_id` to reply to, of the same chat. `cloud_api` has `context` for this.',
      }),
    ),
    interactive: Type.Optional(Interactive),
    cloud_api: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'Engine `official` only: a raw Cloud API payload, passed on unchanged. On smv2: 400 `engine_mismatch`.',
        },
      ),
    ),
  },
  {
    description: '`to` and exactly one of `text`, `media_url`, `media_id`, `interactive` and `cloud_api`.',
  },
)
export type SendBody = Static<typeof SendBody>

export const SendReply = Type.Object({
  engine: Engine,
  sent: Type.Boolean({
    description:
      '`true`: the network accepted the message. `false`: it permanently rejected the message, for example because the ' +
      'number is not on WhatsApp. The status record says why; sending the same message again would fail again.',
  }),
  message_id: Type.String({ pattern: '^msg_', description: 'Identifies the message in later calls and events.' }),
})
export type SendReply = Static<typeof SendReply>

export const MediaRecord = Type.Object({
  media_id: Type.String({ pattern: '^fil_', description: 'Names the file when you send it.' }),
  mime_type: Type.String(),
  size: Type.Integer({ description: 'In bytes.' }),
  expires_at: Timestamp,
})
export type MediaRecord = Static<typeof MediaRecord>

export const sendingContract = {
  uploadMedia: operation({
    id: 'uploadMedia',
    effects: [],
    method: 'POST',
    path: '/v1/media',
    summary: 'Upload a file to send',
    description: [
      `Keeps a file of at most ${document} MB for ${LIMITS.mediaDays} days, so that you can send it as often as you like, from any instance of the account. The body is the file, with its Content-Type. Send it as \`media_id\` in place of \`media_url\`.`,
      'Uploading does not check whether the file can be sent: the sizes and types that each `media_type` allows are checked when you send it. An upload of which less than 32 kB arrive in 15 seconds is refused. Nothing is kept of a file that did not arrive whole.',
      `All uploads of an account may take ${LIMITS.mediaGigabytes} GB, and no more than is left free on the disk of the service. Beyond that, \`invalid_state\` refuses new ones until older ones have expired.`,
    ].join('\n\n'),
    scope: 'messages:send',
    reach: 'instances',
    origin: 'ours',
    query: Type.Object({
      filename: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: LIMITS.filenameLength,
          description: 'The file name that recipients of a document see, unless the message has its own `filename`.',
        }),
      ),
    }),
    bodyFile: { types: UPLOAD_TYPES, maxBytes: document * 1024 * 1024 },
    reply: { status: 201, description: 'The file is stored.', schema: MediaRecord },
    errors: ['invalid_state', 'storage_full'],
    examples: {
      reply: {
        media_id: 'fil_01KCW8ZJ4N3Q7V0F5T2B9XEMRD',
        mime_type: 'image/png',
        size: 48_213,
        expires_at: '2026-03-08T09:30:00.000Z',
      },
    },
    // Assistants have no file to send; they give media_url.
    tool: null,
  }),
  sendMessage: operation({
    id: 'sendMessage',
    effects: ['people'],
    method: 'POST',
    path: '/v1/instances/{id}/messages',
    summary: 'Send a message',
    description: [
      'Sends one message to one number, or on smv2 to one group, and waits up to 20 seconds for the network to accept it. The body has `to` and exactly one of `text`, `media_url` with `media_type`, `media_id` with `media_type`, or `cloud_api` (official engine only).',
      'Later changes (delivered, read, failed) arrive as events. You can also read them with `GET …/messages/{message_id}`.',
      '**Send an `Idempotency-Key`**: 1 to 200 characters of your choice, for example an order number. Keys are scoped to the instance and expire after 24 hours. Repeating a request with the same key never sends the message twice: it returns the original 201 response with `Idempotent-Replayed: true`, even if the instance is no longer connected. Field order and white space in the body do not matter.',
      'What each response means:',
      '- 201 with `sent: true`: the network accepted the message.\n' +
        '- 201 with `sent: false`: the network permanently rejected the message. `error` in the status record says why. The key is used up, so repeating the request sends nothing.\n' +
        '- 400: the request is invalid. Nothing was sent. Correct it and send it again; you can reuse the key.\n' +
        '- 409 `not_ready`: the instance is not connected. Nothing was sent. Connect it and send again; you can reuse the key.\n' +
        '- 409 `idempotency_in_progress`: a request with this key is still running (`Retry-After: 1`) or its outcome is unknown (`Retry-After: 5`). Wait, then repeat it unchanged.\n' +
        '- 409 `idempotency_conflict`: the key was used for a request with another body. Nothing was sent; use a new key.\n' +
        '- 429 `rate_limited`: your API key, this number or this chat has reached its rate limit, or messages already waiting to leave at the pace set for smv2 would delay it too long. Nothing was sent. Wait for `Retry-After`, then repeat the request; you can reuse the idempotency key.\n' +
        '- 502 `upstream_unavailable`: the engine could not be reached and nothing was sent. Repeat the request unchanged.\n' +
        '- 503 `service_unavailable`: too many sends are in progress. Nothing was sent. Repeat the request after `Retry-After`.\n' +
        '- 504 `upstream_timeout`: the message may have been sent. Do not send it again with another key. Look it up with `GET …/messages?idempotency_key=…`: it stays `queued` until the network confirms it.',
    ].join('\n\n'),
    scope: 'messages:send',
    reach: 'instance',
    idempotencyKey: true,
    replaysWhenFrozen: true,
    waitsForEngine: true,
    origin: 'spec',
    body: SendBody,
    reply: {
      status: 201,
      description:
        'The network accepted the message, or permanently rejected it (`sent: false`). Replays carry `Idempotent-Replayed: true`.',
      schema: SendReply,
    },
    errors: [
      'engine_mismatch',
      'invalid_url',
      'invalid_state',
      'not_ready',
      'idempotency_conflict',
      'idempotency_in_progress',
      'upstream_unavailable',
      'upstream_timeout',
      'service_unavailable',
      'storage_full',
    ],
    examples: {
      body: { to: '12025550123', text: 'Your order 1042 is on its way.' },
      reply: { engine: 'smv2', sent: true, message_id: RECORD_EXAMPLE.message_id },
    },
    tool: {
      name: 'send_message',
      title: 'Send a message',
      description:
        'Sends one message from an instance. Give `to` and exactly one of ' +
        '`text`, `media_url` + `media_type`, or `cloud_api` (official only). Always give an idempotency key, so ' +
        'a repeated call sends nothing twice. `sent: false` means the network permanently rejected it. After ' +
        '`upstream_timeout` it may have been sent: use find_message, never a new key.',
      omit: ['interactive'],
      idempotent: false,
    },
  }),

  getMessage: operation({
    id: 'getMessage',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/messages/{message_id}',
    summary: 'Read the status of a message',
    description:
      'Returns the status record of a message sent through this instance or typed on its phone (`source: "phone"`). ' +
      'Received messages have no status and answer 404. A status only moves forward: ' +
      '`queued` → `sent` → `delivered` → `read`, or to `failed` from any of the first three. `read` and `failed` are final.',
    scope: 'messages:read',
    reach: 'instance',
    origin: 'spec',
    reply: { status: 200, description: 'The status record.', schema: MessageRecord },
    errors: [],
    examples: { reply: RECORD_EXAMPLE },
    tool: {
      name: 'get_message',
      title: 'Read the status of a message',
      description: 'The status of a message. 404: it was received.',
      idempotent: true,
    },
  }),

  findMessage: operation({
    id: 'findMessage',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/messages',
    summary: 'Find a message by its Idempotency-Key',
    description:
      'Returns the status record of the newest message this instance sent with the `Idempotency-Key`. Works while the send ' +
      'is still running or its outcome is unknown (status `queued`), and after the key has expired. ' +
      'Use it after a 504. A 404 means nothing was sent with this key. 409 `invalid_state`: something may have been sent, ' +
      'but its record was lost when a backup replaced a damaged database. Do not send it again with another key.',
    scope: 'messages:read',
    reach: 'instance',
    origin: 'spec',
    query: Type.Object({
      idempotency_key: Type.String({
        minLength: 1,
        maxLength: LIMITS.idempotencyKeyLength,
        description: 'The `Idempotency-Key` of the send.',
        examples: ['order-1042-confirmation'],
      }),
    }),
    reply: { status: 200, description: 'The status record.', schema: MessageRecord },
    errors: ['invalid_state'],
    examples: { reply: RECORD_EXAMPLE },
    tool: {
      name: 'find_message',
      title: 'Find a message by key',
      description: 'The newest with the key. 404: none.',
      idempotent: true,
    },
  }),
} as const satisfies Contract
