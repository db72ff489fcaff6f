import { Type, type Static } from 'typebox'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, Digits, List, Nullable, Uuid } from '../../../contract/shapes.ts'
import { CallDirection, CallStatus, VoiceCall, VoiceRecording, VoiceStatus } from '../../../contract/voice.ts'
import { CALL_EXAMPLE, INSTANCE, LIVE_EXAMPLE, RECORDING_EXAMPLE } from '../../../contract/voice-examples.ts'
import { page, under, inConsole, callReply } from './parts.ts'

const CallRow = Type.Object({
  ...VoiceCall.properties,
  instance_name: Type.String(),
  person_name: Nullable(Type.String({ description: 'Name of the contact, if known.' })),
})
export type CallRow = Static<typeof CallRow>

const LiveCall = Type.Object({
  ...CallRow.properties,
  agent_name: Nullable(Type.String()),
  last_line: Nullable(Type.String({ description: 'What was said last.' })),
  can_listen: Type.Boolean(),
})
export type LiveCall = Static<typeof LiveCall>

const RecordingRow = Type.Object({
  ...VoiceRecording.properties,
  instance_name: Type.String(),
  number: Nullable(Type.String({ description: 'Of the person: digits, if known.' })),
  agent_id: Nullable(Type.String({ description: 'null: a person at the console talked.' })),
  summary: Nullable(Type.String()),
  extract: Nullable(
    Type.Object(
      {
        agent_lines: Type.Integer({ minimum: 0 }),
        person_lines: Type.Integer({ minimum: 0 }),
        quotes: Type.Array(Type.String()),
        are_questions: Type.Boolean(),
      },
      { description: 'The parts of a summary that was made without a model.' },
    ),
  ),
})
export type RecordingRow = Static<typeof RecordingRow>

const Offer = Type.String({
  minLength: 1,
  maxLength: LIMITS.voiceOfferLength,
  description: 'An SDP offer with all its candidates.',
})
const Answer = Type.String({ description: 'The SDP answer, with all its candidates.' })
const OfferBody = Body({ offer: Offer })

const CHECKS = ['process', 'gateway', 'speech', 'agent', 'recorder', 'mail'] as const
const Check = Type.Object({
  code: Type.Enum([...CHECKS]),
  status: Type.Enum(['ok', 'warning', 'error', 'skipped']),
  reason: Type.String({ description: 'What was found, as a code such as `sandbox_mail`.' }),
  message: Type.String({ description: 'The same as a sentence, with what to do.' }),
})
export type Check = Static<typeof Check>

const Way = Type.Object({
  gateway: VoiceStatus.properties.gateway,
  unavailable_reason: VoiceStatus.properties.unavailable_reason,
})
const VoiceOverview = Type.Object({
  data: Type.Array(
    Type.Object({
      instance_id: Uuid,
      enabled: Type.Boolean(),
      unlimited: Type.Boolean(),
      remaining: VoiceStatus.properties.remaining,
      has_trunk: Type.Boolean(),
      widgets: Type.Integer({ minimum: 0 }),
    }),
  ),
  ways: Type.Object(
    { sandbox: Way, sip: Way, smv2: Way, official: Way },
    {
      description:
        'How calls travel: of instances of the sandbox, of those with a trunk, and of all others by their engine.',
    },
  ),
})
export type VoiceOverview = Static<typeof VoiceOverview>
const OFFER_EXAMPLE = { offer: 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\n' }

export const consoleContract = {
  listAllVoiceCalls: operation({
    ...inConsole,
    reach: 'account',
    id: 'listAllVoiceCalls',
    effects: [],
    method: 'GET',
    path: '/v1/voice/calls',
    summary: 'List the calls of all instances',
    description: 'For the calls screen: the newest first, or scheduled calls by their time.',
    query: Type.Object({
      ...page,
      order: Type.Optional(
        Type.Enum(['newest', 'upcoming'], {
          description:
            '`upcoming`: scheduled calls only, the next one first. The other filters except instance_id do not apply.',
        }),
      ),
      instance_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only its calls.' })),
      status: Type.Optional(CallStatus),
      direction: Type.Optional(CallDirection),
    }),
    reply: { status: 200, description: 'A page of calls.', schema: List(CallRow) },
    errors: ['invalid_cursor'],
    examples: {
      reply: {
        data: [{ ...CALL_EXAMPLE, instance_name: 'Sales', person_name: 'Ana Souza' }],
        next_cursor: null,
        has_more: false,
      },
    },
  }),

  listAllVoiceRecordings: operation({
    ...inConsole,
    reach: 'account',
    id: 'listAllVoiceRecordings',
    effects: [],
    method: 'GET',
    path: '/v1/voice/recordings',
    summary: 'List the recordings of all instances',
    description: 'For the recordings screen: the call that ended last first.',
    query: Type.Object({
      ...page,
      instance_id: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Only those of this instance.' }),
      ),
      direction: Type.Optional(CallDirection),
      has_audio: Type.Optional(Type.Boolean({ description: '`true`: only those in which somebody spoke.' })),
    }),
    reply: { status: 200, description: 'A page of recordings.', schema: List(RecordingRow) },
    errors: ['invalid_cursor'],
    examples: {
      reply: {
        data: [
          {
            ...RECORDING_EXAMPLE,
            ...{
              instance_name: 'Sales',
              number: '12025550123',
              agent_id: null,
              summary: CALL_EXAMPLE.summary,
              extract: null,
            },
          },
        ],
        next_cursor: null,
        has_more: false,
      },
    },
  }),

  listLiveVoiceCalls: operation({
    ...inConsole,
    reach: 'account',
    id: 'listLiveVoiceCalls',
    effects: [],
    method: 'GET',
    path: '/v1/voice/live-calls',
    summary: 'List running calls',
    description: 'Calls that are dialed, ring or run now, the longest first. Refetch on notices of the topic `voice`.',
    reply: { status: 200, description: 'The calls.', schema: Type.Object({ data: Type.Array(LiveCall) }) },
    errors: [],
    examples: { reply: { data: [LIVE_EXAMPLE] } },
  }),

  hangUpVoiceCall: operation({
    ...inConsole,
    ...under,
    path: `${under.path}/calls/{call_id}/hang-up`,
    id: 'hangUpVoiceCall',
    effects: ['removal'],
    method: 'POST',
    summary: 'Hang up a call',
    description:
      'Ends a call that is dialed, rings or runs; its recording is kept. A call that has ended is returned unchanged.',
    reply: callReply,
    errors: ['invalid_state'],
    examples: { reply: { ...CALL_EXAMPLE, end_reason: 'operator_hung_up' } },
  }),

  listenToVoiceCall: operation({
    ...inConsole,
    ...under,
    path: `${under.path}/calls/{call_id}/listen`,
    id: 'listenToVoiceCall',
    effects: ['access'],
    method: 'POST',
    summary: 'Listen in on a call',
    description:
      'Connects a listener by WebRTC: the offer receives one audio track with both sides and sends none. Nobody in the call ' +
      'hears it. It ends with the call, when the connection is closed, or when the listener is signed out.',
    body: OfferBody,
    reply: { status: 201, description: 'The answer.', schema: Type.Object({ answer: Answer }) },
    errors: ['invalid_state', 'service_unavailable'],
    examples: { body: OFFER_EXAMPLE, reply: { answer: OFFER_EXAMPLE.offer } },
  }),

  callFromConsole: operation({
    ...inConsole,
    ...under,
    path: `${under.path}/softphone`,
    id: 'callFromConsole',
    effects: ['people'],
    method: 'POST',
    summary: 'Call a person yourself',
    description:
      'The person at the console talks. The offer sends one audio track and receives one. Hang up with `hang-up`; closing the ' +
      'connection or being signed out hangs up as well.',
    body: Body({ to_number: Digits, offer: Offer }),
    reply: {
      status: 201,
      description: 'The call is being dialed.',
      schema: Type.Object({ call: VoiceCall, answer: Answer }),
    },
    errors: [
      ...(['not_ready', 'invalid_state', 'account_suspended', 'call_permission_required'] as const),
      ...(['service_unavailable', 'upstream_unavailable'] as const),
    ],
    examples: {
      body: { to_number: '12025550123', ...OFFER_EXAMPLE },
      reply: { call: { ...CALL_EXAMPLE, agent_id: null, source: 'console' }, answer: OFFER_EXAMPLE.offer },
    },
  }),

  answerVoiceCall: operation({
    ...inConsole,
    ...under,
    path: `${under.path}/calls/{call_id}/answer`,
    id: 'answerVoiceCall',
    effects: ['people'],
    method: 'POST',
    summary: 'Answer a call that rings',
    description:
      'The person at the console takes an incoming call. The offer sends one audio track and receives one. `hang-up` ' +
      'declines a call that rings, and ends it later.',
    body: OfferBody,
    reply: {
      status: 201,
      description: 'The call is connected to this window.',
      schema: Type.Object({ call: VoiceCall, answer: Answer }),
    },
    errors: ['invalid_state', 'service_unavailable'],
    examples: {
      body: OFFER_EXAMPLE,
      reply: { call: { ...CALL_EXAMPLE, agent_id: null, direction: 'inbound' }, answer: OFFER_EXAMPLE.offer },
    },
  }),

  getVoiceRecordingPeaks: operation({
    ...inConsole,
    ...under,
    path: `${under.path}/recordings/{recording_id}/peaks`,
    id: 'getVoiceRecordingPeaks',
    effects: [],
    method: 'GET',
    summary: 'Read the waveform of a recording',
    description: 'The loudest sample of each span, computed when the call was recorded.',
    reply: {
      status: 200,
      description: 'The waveform.',
      schema: Type.Object({
        duration_ms: Type.Integer({ minimum: 0 }),
        agent: Type.Array(Type.Number({ minimum: 0, maximum: 1 })),
        person: Type.Array(Type.Number({ minimum: 0, maximum: 1 })),
      }),
    },
    errors: [],
    examples: { reply: { duration_ms: 18_800, agent: [0, 0.41, 0.38], person: [0.2, 0, 0] } },
  }),

  playVoiceRecording: operation({
    ...inConsole,
    ...under,
    path: `${under.path}/recordings/{recording_id}/audio`,
    id: 'playVoiceRecording',
    effects: [],
    method: 'GET',
    summary: 'Play a recording',
    description: 'The file itself, with byte ranges, for the player of the console.',
    noStore: true,
    reply: { status: 200, description: 'The file, audio/ogg.', schema: null, file: true },
    errors: [],
    examples: {},
  }),

  deleteVoiceRecording: operation({
    ...inConsole,
    ...under,
    path: `${under.path}/recordings/{recording_id}/file`,
    id: 'deleteVoiceRecording',
    effects: ['removal'],
    method: 'DELETE',
    summary: 'Delete a recording',
    description: 'Deletes the file and its transcript. The call stays in the list.',
    confirm: 'always',
    reply: { status: 204, description: 'The recording was deleted.', schema: null },
    errors: [],
    examples: {},
  }),

  checkVoiceSetup: operation({
    ...inConsole,
    ...under,
    path: `${under.path}/check`,
    id: 'checkVoiceSetup',
    effects: ['outbound'],
    method: 'POST',
    summary: 'Test the voice set-up',
    description:
      'Tries everything a call of this instance needs on this machine, and says what works and why not. Calls nobody.',
    reply: { status: 200, description: 'The results.', schema: Type.Object({ checks: Type.Array(Check) }) },
    errors: [],
    examples: {
      reply: {
        checks: [{ code: 'speech', status: 'ok', reason: 'built_in', message: 'The built-in English voice works.' }],
      },
    },
  }),

  listVoiceInstances: operation({
    ...inConsole,
    reach: 'account',
    id: 'listVoiceInstances',
    effects: [],
    method: 'GET',
    path: '/v1/voice/instances',
    summary: 'List instances with voice',
    description:
      'Instances that have voice, a trunk or a widget, and how the calls of each kind of instance travel. All others have voice off.',
    reply: { status: 200, description: 'The instances.', schema: VoiceOverview },
    errors: [],
    examples: {
      reply: {
        data: [
          {
            ...{ instance_id: INSTANCE, enabled: true, unlimited: false, remaining: 37, has_trunk: false, widgets: 1 },
          },
        ],
        ways: {
          sandbox: { gateway: 'sandbox', unavailable_reason: null },
          sip: { gateway: 'sip', unavailable_reason: null },
          smv2: { gateway: null, unavailable_reason: 'no_gateway' },
          official: { gateway: 'cloud', unavailable_reason: null },
        },
      },
    },
  }),

  openVoiceWidgetTest: operation({
    ...inConsole,
    ...under,
    path: `${under.path}/widgets/{widget_id}/test-page`,
    id: 'openVoiceWidgetTest',
    effects: ['invitation'],
    method: 'POST',
    summary: 'Create a link to the test page of a widget',
    description:
      'A page of this service with the widget as visitors see it. The link is valid for 30 minutes and needs no key. Calls from it are real calls.',
    reply: {
      status: 201,
      description: 'The link.',
      schema: Type.Object({
        path: Type.String({ description: 'Relative to the address of this service.' }),
        url: Type.String({ description: 'On this computer.' }),
      }),
    },
    errors: [],
    examples: {
      reply: {
        path: '/widget/wid_0A1B2C/test?test=1772448000.c2ln',
        url: 'http://127.0.0.1:4780/widget/wid_0A1B2C/test?test=1772448000.c2ln',
      },
    },
  }),
} as const satisfies Contract
