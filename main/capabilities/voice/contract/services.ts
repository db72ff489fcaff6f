import { Type, type Static } from 'typebox'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, Digits, List, Nullable, Timestamp } from '../../../contract/shapes.ts'
import { page, under, inConsole } from './parts.ts'

const Url = Type.String({ minLength: 8, maxLength: 500, pattern: '^(https?|wss?)://' })
const Speech = Type.Object({
  brain: Type.Enum(['script', 'pipeline', 'realtime'], {
    description:
      '`script`: speaks English with the built-in voice; understands the sandbox only. `pipeline`: speech-to-text and ' +
      'text-to-speech services. `realtime`: a speech-to-speech model.',
  }),
  stt_url: Nullable(Type.String()),
  stt_model: Nullable(Type.String()),
  tts_url: Nullable(Type.String()),
  tts_model: Nullable(Type.String()),
  tts_voice: Nullable(Type.String()),
  realtime_url: Nullable(Type.String()),
  realtime_voice: Nullable(Type.String()),
  key_configured: Type.Boolean(),
})
export type Speech = Static<typeof Speech>
const Name = Type.String({ minLength: 1, maxLength: 100 })
const SpeechBody = Body({
  brain: Speech.properties.brain,
  stt_url: Type.Optional(Nullable(Url)),
  stt_model: Type.Optional(Nullable(Name)),
  tts_url: Type.Optional(Nullable(Url)),
  tts_model: Type.Optional(Nullable(Name)),
  tts_voice: Type.Optional(Nullable(Name)),
  realtime_url: Type.Optional(Nullable(Url)),
  realtime_voice: Type.Optional(Nullable(Name)),
  api_key: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 500, description: 'null removes it.' }))),
})
export type SpeechBody = Static<typeof SpeechBody>

const Trunk = Type.Object({
  host: Type.String(),
  port: Type.Integer(),
  transport: Type.Enum(['tcp', 'tls', 'wss']),
  username: Type.String(),
  caller_id: Nullable(Type.String()),
  password_configured: Type.Boolean(),
})
export type Trunk = Static<typeof Trunk>
const TrunkBody = Body({
  host: Type.String({
    ...{ minLength: 1, maxLength: 253, pattern: '^([A-Za-z0-9._:-]+|\\[[A-Fa-f0-9.:]+\\])$' },
    description: 'Host name or IP address. It is stored in its usual form: `127.1` is 127.0.0.1.',
  }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  transport: Trunk.properties.transport,
  username: Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\s@]+$' }),
  caller_id: Type.Optional(Nullable(Digits)),
  password: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Left out: it stays as it is. Required again when host, port or transport changes.',
    }),
  ),
})
export type TrunkBody = Static<typeof TrunkBody>

function speechExample(): Speech {
  return {
    ...{ brain: 'script', stt_url: null, stt_model: null, tts_url: null, tts_model: null, tts_voice: null },
    ...{ realtime_url: null, realtime_voice: null, key_configured: false },
  }
}

export const servicesContract = {
  getVoiceSpeech: operation({
    ...inConsole,
    reach: 'account',
    id: 'getVoiceSpeech',
    effects: [],
    method: 'GET',
    path: '/v1/voice/speech',
    summary: 'Read how agents hear and speak',
    description: 'The speech services of this account. The key is never returned.',
    reply: { status: 200, description: 'The speech services.', schema: Speech },
    errors: [],
    examples: { reply: speechExample() },
  }),

  setVoiceSpeech: operation({
    ...inConsole,
    reach: 'account',
    id: 'setVoiceSpeech',
    effects: ['destination'],
    method: 'PUT',
    path: '/v1/voice/speech',
    summary: 'Set how agents hear and speak',
    description:
      'Chooses the built-in voice or speech services with OpenAI’s API. Fields left out become null. The key stays unless it is sent; a server that has not had it needs it again.',
    body: SpeechBody,
    reply: { status: 200, description: 'The speech services.', schema: Speech },
    errors: ['invalid_url', 'sealed'],
    examples: { body: { brain: 'script' }, reply: speechExample() },
  }),

  getVoiceTrunk: operation({
    ...inConsole,
    ...under,
    path: `${under.path}/trunk`,
    id: 'getVoiceTrunk',
    effects: [],
    method: 'GET',
    summary: 'Read the SIP trunk',
    description: 'The telephone line of this instance, null if it has none. The password is never returned.',
    reply: { status: 200, description: 'The trunk.', schema: Type.Object({ trunk: Nullable(Trunk) }) },
    errors: [],
    examples: { reply: { trunk: null } },
  }),

  setVoiceTrunk: operation({
    ...inConsole,
    ...under,
    path: `${under.path}/trunk`,
    id: 'setVoiceTrunk',
    effects: ['destination'],
    method: 'PUT',
    summary: 'Set the SIP trunk',
    description: 'Calls of this instance become telephone calls over this trunk. They are not WhatsApp calls.',
    body: TrunkBody,
    reply: { status: 200, description: 'The trunk.', schema: Type.Object({ trunk: Nullable(Trunk) }) },
    errors: ['invalid_url', 'sealed'],
    examples: {
      body: { host: 'sip.example.com', port: 5061, transport: 'tls', username: '1001', password: 'example' },
      reply: {
        trunk: {
          ...{ host: 'sip.example.com', port: 5061, transport: 'tls', username: '1001', caller_id: null },
          password_configured: true,
        },
      },
    },
  }),

  removeVoiceTrunk: operation({
    ...inConsole,
    ...under,
    path: `${under.path}/trunk`,
    id: 'removeVoiceTrunk',
    effects: ['removal'],
    method: 'DELETE',
    summary: 'Remove the SIP trunk',
    description:
      'Removes the trunk and its password. Scheduled calls end failed if there is no other way to make them.',
    reply: { status: 204, description: 'The trunk was removed.', schema: null },
    errors: [],
    examples: {},
  }),

  listSandboxMails: operation({
    ...inConsole,
    reach: 'account',
    id: 'listSandboxMails',
    effects: [],
    method: 'GET',
    path: '/v1/sandbox/mails',
    summary: 'List mails of the mail sandbox',
    description: 'Without SMTP settings, mails are not delivered but kept here, newest first.',
    query: Type.Object(page),
    reply: {
      status: 200,
      description: 'A page of mails.',
      schema: Type.Object({
        ...List(
          Type.Object({
            id: Type.String(),
            from: Type.String(),
            to: Type.Array(Type.String()),
            subject: Type.String(),
            text: Type.String(),
            received_at: Timestamp,
          }),
        ).properties,
        active: Type.Boolean({ description: 'true: mails are kept here now. false: SMTP settings deliver them.' }),
      }),
    },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [], next_cursor: null, has_more: false, active: true } },
  }),
} as const satisfies Contract
