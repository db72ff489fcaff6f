import { Type, type Static } from 'typebox'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Digits, List, Nullable, PageSize, Timestamp, Uuid } from '../../contract/shapes.ts'
import {
  CallDirection,
  CallReview,
  CallStatus,
  NewWidget,
  VoiceCall,
  VoiceRecording,
  VoiceSettings,
  VoiceSettingsPatch,
  VoiceStatus,
  VoiceWidget,
  WidgetPatch,
} from '../../contract/voice.ts'
import {
  CALL_EXAMPLE,
  INSTANCE,
  LIVE_EXAMPLE,
  RECORDING_EXAMPLE,
  REVIEW_EXAMPLE,
  RUNNING_EXAMPLE,
  SETTINGS_EXAMPLE,
  STATUS_EXAMPLE,
  WIDGET_EXAMPLE,
} from '../../contract/voice-examples.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    voice: true
  }
}

const AgentId = Type.String({ minLength: 1, maxLength: 64, description: 'An AI agent of this instance.' })
const Cursor = Type.String({ description: '`next_cursor` of the previous page.' })
const page = { limit: Type.Optional(PageSize), cursor: Type.Optional(Cursor) }
const ScheduledAt = Type.String({
  format: 'date-time',
  description: `When to call, at most ${LIMITS.voiceDaysAhead} days ahead. Default, and for a time that has passed: now.`,
  examples: ['2026-03-02T12:00:00.000Z'],
})

const ScheduleBody = Body({
  to_number: Digits,
  agent_id: AgentId,
  scheduled_at: Type.Optional(ScheduledAt),
})
export type ScheduleBody = Static<typeof ScheduleBody>

const BatchBody = Body({
  numbers: Type.Array(Type.String({ maxLength: 40 }), {
    minItems: 1,
    maxItems: LIMITS.voiceBatch,
    description: 'With country code. Invalid numbers and repeated ones are skipped.',
    examples: [['12025550123']],
  }),
  agent_id: AgentId,
  interval_seconds: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 86_400, default: 30, description: 'From the start of one call to the next.' }),
  ),
  scheduled_at: Type.Optional(ScheduledAt),
})
export type BatchBody = Static<typeof BatchBody>

const BatchReply = Type.Object({
  batch_id: Type.String(),
  scheduled: Type.Integer({ minimum: 0 }),
  calls: Type.Array(VoiceCall),
  skipped: Type.Array(Type.Object({ to_number: Type.String(), reason: Type.Enum(['duplicate', 'invalid_number']) })),
})
export type BatchReply = Static<typeof BatchReply>

const LatestReply = Type.Object({
  data: Type.Object({
    instance: Type.Object({ id: Uuid, name: Type.String(), instance_name: Type.String() }),
    recording: VoiceRecording,
  }),
})

const RecordingsReply = Type.Object({
  recordings: Type.Array(VoiceRecording),
  next_cursor: Nullable(Type.String()),
  has_more: Type.Boolean(),
})

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
})
export type RecordingRow = Static<typeof RecordingRow>

const Offer = Type.String({
  minLength: 1,
  maxLength: LIMITS.voiceOfferLength,
  description: 'An SDP offer with all its candidates.',
})
const Answer = Type.String({ description: 'The SDP answer, with all its candidates.' })
const OfferBody = Body({ offer: Offer })

const DigitsBody = Body({
  digits: Type.String({
    pattern: `^[0-9A-D*#]{1,${LIMITS.voiceDigits}}$`,
    description: `Keys of a telephone: 0 to 9, *, #, A to D; at most ${LIMITS.voiceDigits}.`,
    examples: ['1'],
  }),
})

const CHECKS = ['process', 'gateway', 'speech', 'agent', 'recorder', 'mail'] as const
const Check = Type.Object({
  code: Type.Enum([...CHECKS]),
  status: Type.Enum(['ok', 'warning', 'error', 'skipped']),
  reason: Type.String({ description: 'What was found, as a code such as `sandbox_mail`.' }),
  message: Type.String({ description: 'The same as a sentence, with what to do.' }),
})
export type Check = Static<typeof Check>

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

const under = { path: '/v1/instances/{id}/voice', reach: 'instance' } as const
const reads = { ...under, method: 'GET', scope: 'voice:read' } as const
const manages = { ...under, scope: 'voice:manage' } as const
const inConsole = { scope: null, origin: 'ours', audience: 'console', role: 'member', tool: null } as const
const quiet = { idempotent: true, onRequest: true } as const

const TRUNK_ERRORS = ['upstream_unavailable', 'upstream_timeout'] as const
const callReply = { status: 200, description: 'The call.', schema: VoiceCall } as const
const widgetReply = { status: 200, description: 'The widget.', schema: VoiceWidget } as const
const OFFER_EXAMPLE = { offer: 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\n' }

export const voiceContract = {
  getLatestVoiceRecording: operation({
    id: 'getLatestVoiceRecording',
    effects: [],
    method: 'GET',
    path: '/v1/voice/recordings/latest',
    summary: 'Read the latest recording',
    description:
      'The recording of the call of this instance that ended last, or of `call_id`. 404 until that call has ended and its ' +
      'recording is complete: retry after a second. Pass `call_id` if several calls can end together.',
    scope: 'voice:read',
    reach: 'instances',
    origin: 'spec',
    query: Type.Object({
      instance: Type.String({
        minLength: 1,
        maxLength: LIMITS.instanceNameLength,
        description: 'UUID, name or instance_name. A name that several instances have is 409 `ambiguous_instance`.',
      }),
      call_id: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'The recording of this call, instead of the latest one.',
        }),
      ),
    }),
    reply: { status: 200, description: 'The recording and its instance.', schema: LatestReply },
    errors: ['not_found', 'ambiguous_instance'],
    examples: {
      reply: {
        data: {
          instance: { id: INSTANCE, name: 'Sales', instance_name: 'sales' },
          recording: RECORDING_EXAMPLE,
        },
      },
    },
    tool: { ...quiet, name: 'get_latest_voice_recording', title: 'Read the latest recording' },
  }),

  listVoiceRecordings: operation({
    ...reads,
    id: 'listVoiceRecordings',
    effects: [],
    path: `${under.path}/recordings`,
    summary: 'List recordings',
    description: 'Recordings of this instance, the call that ended last first.',
    origin: 'spec',
    query: Type.Object({
      ...page,
      direction: Type.Optional(CallDirection),
      has_audio: Type.Optional(Type.Boolean({ description: '`true`: only those in which somebody spoke.' })),
    }),
    reply: { status: 200, description: 'A page of recordings.', schema: RecordingsReply },
    errors: ['invalid_cursor'],
    examples: { reply: { recordings: [RECORDING_EXAMPLE], next_cursor: null, has_more: false } },
    tool: { ...quiet, name: 'list_voice_recordings', title: 'List recordings' },
  }),

  getVoiceRecording: operation({
    ...reads,
    id: 'getVoiceRecording',
    effects: [],
    path: `${under.path}/recordings/{recording_id}`,
    summary: 'Read a recording',
    description: 'Length, direction and download address of a recording.',
    origin: 'spec',
    reply: { status: 200, description: 'The recording.', schema: VoiceRecording },
    errors: [],
    examples: { reply: RECORDING_EXAMPLE },
    tool: { ...quiet, name: 'get_voice_recording', title: 'Read a recording' },
  }),

  downloadVoiceRecording: operation({
    ...reads,
    id: 'downloadVoiceRecording',
    effects: ['access'],
    path: `${under.path}/recordings/{recording_id}/download`,
    summary: 'Download a recording',
    description:
      'Answers 307 with the address of the file, relative to the base URL. That address is signed, needs no key, is valid ' +
      `for ${LIMITS.voiceLinkSeconds / 60} minutes and serves byte ranges. Your client must follow redirects.`,
    origin: 'spec',
    noStore: true,
    reply: { status: 307, description: 'Location has the address of the file.', schema: null },
    errors: [],
    examples: {},
    // A model cannot listen to the file.
    tool: null,
  }),

  scheduleVoiceCall: operation({
    ...manages,
    id: 'scheduleVoiceCall',
    effects: ['people'],
    method: 'POST',
    path: `${under.path}/calls`,
    summary: 'Schedule a call',
    description: [
      'An AI agent calls a person, now or later. The answer comes before the call: read the call to see how it went.',
      `A call that could not begin within ${LIMITS.voiceLateMinutes} minutes of \`scheduled_at\` because the app was closed, the computer slept or its clock was set forward ends \`failed\` with \`app_offline\`. At most ${LIMITS.voiceChannels} calls of an instance run at once, and as many of an account as are left for the others, of ${LIMITS.voiceCalls} in all; others wait. A call is never dialed twice.`,
      'Enable voice first (409 `invalid_state`). A call of the trial is counted once it is answered and sound arrives; no more are dialed at once than are left. Without `scheduled_at`, the person’s permission is checked first where the network requires one: 409 `call_permission_required`, and they are asked if the quota allows it.',
    ].join('\n\n'),
    idempotencyKey: true,
    origin: 'spec',
    body: ScheduleBody,
    reply: { status: 201, description: 'The call was scheduled.', schema: VoiceCall },
    errors: [
      ...(['not_found', 'not_ready', 'invalid_state', 'account_suspended'] as const),
      ...(['call_permission_required', 'upstream_unavailable'] as const),
    ],
    examples: {
      body: { to_number: '12025550123', agent_id: CALL_EXAMPLE.agent_id },
      reply: {
        ...CALL_EXAMPLE,
        ...{ status: 'scheduled', started_at: null, answered_at: null, ended_at: null, duration_seconds: null },
        ...{ end_reason: null, attempt: 0, recording_id: null, summary: null },
      },
    },
    tool: {
      name: 'schedule_voice_call',
      title: 'Schedule a call',
      description: 'Calls a person with an AI agent, now or at scheduled_at.',
      idempotent: false,
      onRequest: true,
    },
  }),

  scheduleVoiceCallBatch: operation({
    ...manages,
    id: 'scheduleVoiceCallBatch',
    effects: ['people'],
    method: 'POST',
    path: `${under.path}/calls/batch`,
    summary: 'Schedule many calls',
    description:
      'Schedules one call for each number, `interval_seconds` apart. With calling hours, those that would fall outside are ' +
      'moved to the next opening, and keep the interval. Numbers that are invalid or repeated are in `skipped`.',
    idempotencyKey: true,
    origin: 'spec',
    body: BatchBody,
    reply: { status: 201, description: 'The calls were scheduled.', schema: BatchReply },
    errors: ['not_found', 'not_ready', 'invalid_state', 'account_suspended'],
    examples: {
      body: { numbers: ['12025550123', '12'], agent_id: CALL_EXAMPLE.agent_id, interval_seconds: 30 },
      reply: {
        batch_id: '0197f0c2-7b3e-7c51-9d2b-5f8e1a7c4b66',
        scheduled: 1,
        calls: [CALL_EXAMPLE],
        skipped: [{ to_number: '12', reason: 'invalid_number' }],
      },
    },
    tool: {
      name: 'schedule_voice_call_batch',
      title: 'Schedule many calls',
      idempotent: false,
      onRequest: true,
    },
  }),

  listVoiceCalls: operation({
    ...reads,
    id: 'listVoiceCalls',
    effects: [],
    path: `${under.path}/calls`,
    summary: 'List calls',
    description: 'Calls of this instance, newest first: scheduled, running and ended.',
    origin: 'spec',
    query: Type.Object({
      ...page,
      status: Type.Optional(CallStatus),
      direction: Type.Optional(CallDirection),
      batch_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only calls of this batch.' })),
    }),
    reply: { status: 200, description: 'A page of calls.', schema: List(VoiceCall) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [CALL_EXAMPLE], next_cursor: null, has_more: false } },
    tool: { ...quiet, name: 'list_voice_calls', title: 'List calls' },
  }),

  getVoiceCall: operation({
    ...reads,
    id: 'getVoiceCall',
    effects: [],
    path: `${under.path}/calls/{call_id}`,
    summary: 'Read a call',
    description: 'State and outcome of a call, and its recording once it can be downloaded.',
    origin: 'ours',
    reply: callReply,
    errors: [],
    examples: { reply: CALL_EXAMPLE },
    tool: { ...quiet, name: 'get_voice_call', title: 'Read a call' },
  }),

  getVoiceCallReview: operation({
    ...reads,
    id: 'getVoiceCallReview',
    effects: [],
    path: `${under.path}/calls/{call_id}/review`,
    summary: 'Read what was said in a call',
    description:
      'Transcript, summary and coaching notes. The transcript of a running call grows; the others come after it.',
    origin: 'ours',
    reply: { status: 200, description: 'What was said.', schema: CallReview },
    errors: [],
    examples: { reply: REVIEW_EXAMPLE },
    tool: { ...quiet, name: 'get_voice_call_review', title: 'Read what was said in a call', untrusted: true },
  }),

  cancelVoiceCall: operation({
    ...manages,
    id: 'cancelVoiceCall',
    effects: ['removal'],
    method: 'POST',
    path: `${under.path}/calls/{call_id}/cancel`,
    summary: 'Cancel a call',
    description:
      'A scheduled call is not made, one that rings or runs is hung up. A call that was canceled already is returned ' +
      'unchanged; one that has ended otherwise is 409 `invalid_state`.',
    origin: 'spec',
    reply: callReply,
    errors: ['invalid_state'],
    examples: { reply: { ...CALL_EXAMPLE, status: 'canceled', end_reason: 'canceled' } },
    tool: { name: 'cancel_voice_call', title: 'Cancel a call', idempotent: true, onRequest: true },
  }),

  holdVoiceCall: operation({
    ...manages,
    id: 'holdVoiceCall',
    effects: ['people'],
    method: 'POST',
    path: `${under.path}/calls/{call_id}/hold`,
    summary: 'Put a call on hold',
    description:
      'The person hears silence, you hear nothing of them, and an agent waits. The recording goes on with silence. Only calls ' +
      'over a SIP trunk can be held. A call that is on hold is returned unchanged.',
    origin: 'ours',
    reply: callReply,
    errors: ['invalid_state', ...TRUNK_ERRORS],
    examples: { reply: { ...RUNNING_EXAMPLE, held_at: '2026-03-01T09:30:12.000Z' } },
    tool: { name: 'hold_voice_call', title: 'Put a call on hold', idempotent: true, onRequest: true },
  }),

  resumeVoiceCall: operation({
    ...manages,
    id: 'resumeVoiceCall',
    effects: ['people'],
    method: 'POST',
    path: `${under.path}/calls/{call_id}/resume`,
    summary: 'Resume a call',
    description: 'Takes the person off hold. A call that is not on hold is returned unchanged.',
    origin: 'ours',
    reply: callReply,
    errors: ['invalid_state', ...TRUNK_ERRORS],
    examples: { reply: RUNNING_EXAMPLE },
    tool: { name: 'resume_voice_call', title: 'Resume a call', idempotent: true, onRequest: true },
  }),

  sendVoiceCallDigits: operation({
    ...manages,
    id: 'sendVoiceCallDigits',
    effects: ['people'],
    method: 'POST',
    path: `${under.path}/calls/{call_id}/digits`,
    summary: 'Press keys in a call',
    description:
      'Sends DTMF digits, for example to a menu. The answer comes when they were sent, a quarter of a second for each. Only calls ' +
      'over a SIP trunk take digits, and not while one side is on hold.',
    origin: 'ours',
    body: DigitsBody,
    reply: callReply,
    errors: ['invalid_state', ...TRUNK_ERRORS],
    examples: { body: { digits: '1' }, reply: RUNNING_EXAMPLE },
    tool: { name: 'send_voice_call_digits', title: 'Press keys in a call', idempotent: false, onRequest: true },
  }),

  transferVoiceCall: operation({
    ...manages,
    id: 'transferVoiceCall',
    // The trunk charges for the call to the number.
    effects: ['people', 'money'],
    method: 'POST',
    path: `${under.path}/calls/{call_id}/transfer`,
    summary: 'Transfer a call',
    description:
      'Asks the trunk to connect the person with another number. Answers once the trunk has accepted that: `transfer.status` ' +
      'is then `pending`. When the number answers, your side of the call ends with `transferred`. If it does not, the call goes on ' +
      'and `transfer.failure` says why. Only calls over a SIP trunk can be transferred.',
    origin: 'ours',
    body: Body({ to_number: Digits }),
    reply: callReply,
    errors: ['invalid_state', ...TRUNK_ERRORS],
    examples: {
      body: { to_number: '12025550177' },
      reply: {
        ...RUNNING_EXAMPLE,
        transfer: {
          ...{ to_number: '12025550177', status: 'pending', failure: null },
          requested_at: '2026-03-01T09:30:14.000Z',
        },
      },
    },
    tool: { name: 'transfer_voice_call', title: 'Transfer a call', idempotent: false, onRequest: true },
  }),

  getVoice: operation({
    ...reads,
    id: 'getVoice',
    effects: [],
    summary: 'Read the voice status',
    description:
      'Whether this instance can make calls, how many are left of the trial, how many run, and the settings.',
    origin: 'spec',
    reply: { status: 200, description: 'The voice status.', schema: VoiceStatus },
    errors: [],
    examples: { reply: STATUS_EXAMPLE },
    tool: { ...quiet, name: 'get_voice', title: 'Read the voice status' },
  }),

  enableVoice: operation({
    ...manages,
    id: 'enableVoice',
    effects: ['people_later'],
    method: 'POST',
    path: `${under.path}/enable`,
    summary: 'Enable voice',
    description:
      `Free of charge. Uses one slot of the account’s voice package; without a package, starts a trial of ` +
      `${LIMITS.voiceTrialCalls} calls. Repeating it changes nothing, except that a trial becomes unlimited if the account ` +
      'has bought a package since.',
    origin: 'spec',
    reply: { status: 200, description: 'The voice status.', schema: VoiceStatus },
    errors: ['no_free_slot', 'invalid_state'],
    examples: { reply: STATUS_EXAMPLE },
    tool: { name: 'enable_voice', title: 'Enable voice', idempotent: true, onRequest: true },
  }),

  updateVoiceSettings: operation({
    ...manages,
    id: 'updateVoiceSettings',
    effects: ['destination', 'people_later'],
    method: 'PATCH',
    path: `${under.path}/settings`,
    summary: 'Change the voice settings',
    description: 'Changes the fields you send. Calls that run keep the settings they began with.',
    origin: 'spec',
    body: VoiceSettingsPatch,
    reply: { status: 200, description: 'The settings.', schema: VoiceSettings },
    errors: ['not_found'],
    examples: { body: { summary_emails: ['sales@example.com'] }, reply: SETTINGS_EXAMPLE },
    tool: {
      name: 'update_voice_settings',
      title: 'Change the voice settings',
      idempotent: true,
      onRequest: true,
    },
  }),

  createVoiceWidget: operation({
    ...manages,
    id: 'createVoiceWidget',
    effects: ['destination'],
    method: 'POST',
    path: `${under.path}/widgets`,
    summary: 'Create a widget',
    description: `A button for web pages with which visitors talk to an agent in their browser. At most ${LIMITS.voiceWidgetsPerInstance} per instance. Put \`embed_snippet\` into the page.`,
    idempotencyKey: true,
    origin: 'spec',
    body: NewWidget,
    reply: { status: 201, description: 'The widget was created.', schema: VoiceWidget },
    errors: ['not_found', 'invalid_state'],
    examples: { body: { name: 'Website', allowed_origins: ['https://www.example.com'] }, reply: WIDGET_EXAMPLE },
    tool: {
      name: 'create_voice_widget',
      title: 'Create a widget',
      idempotent: false,
      onRequest: true,
    },
  }),

  listVoiceWidgets: operation({
    ...reads,
    id: 'listVoiceWidgets',
    effects: [],
    path: `${under.path}/widgets`,
    summary: 'List widgets',
    description: 'The widgets of this instance, newest first.',
    origin: 'ours',
    query: Type.Object(page),
    reply: { status: 200, description: 'A page of widgets.', schema: List(VoiceWidget) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [WIDGET_EXAMPLE], next_cursor: null, has_more: false } },
    tool: { ...quiet, name: 'list_voice_widgets', title: 'List widgets' },
  }),

  getVoiceWidget: operation({
    ...reads,
    id: 'getVoiceWidget',
    effects: [],
    path: `${under.path}/widgets/{widget_id}`,
    summary: 'Read a widget',
    description: 'Its origins, its colors, and the snippet that puts it on a page.',
    origin: 'ours',
    reply: widgetReply,
    errors: [],
    examples: { reply: WIDGET_EXAMPLE },
    tool: { ...quiet, name: 'get_voice_widget', title: 'Read a widget' },
  }),

  updateVoiceWidget: operation({
    ...manages,
    id: 'updateVoiceWidget',
    effects: ['destination'],
    method: 'PATCH',
    path: `${under.path}/widgets/{widget_id}`,
    summary: 'Change a widget',
    description: 'Changes the fields you send. Pages use the new settings when they are loaded again.',
    origin: 'spec',
    body: WidgetPatch,
    reply: widgetReply,
    errors: ['not_found'],
    examples: { body: { video_enabled: true }, reply: { ...WIDGET_EXAMPLE, video_enabled: true } },
    tool: { name: 'update_voice_widget', title: 'Change a widget', idempotent: true, onRequest: true },
  }),

  deleteVoiceWidget: operation({
    ...manages,
    id: 'deleteVoiceWidget',
    effects: ['removal'],
    method: 'DELETE',
    path: `${under.path}/widgets/{widget_id}`,
    summary: 'Delete a widget',
    description: 'Pages that embed it show nothing any more, and its running calls end.',
    origin: 'spec',
    reply: { status: 204, description: 'The widget was deleted.', schema: null },
    errors: [],
    examples: {},
    tool: {
      name: 'delete_voice_widget',
      title: 'Delete a widget',
      idempotent: false,
      onRequest: true,
    },
  }),

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
            ...{ instance_name: 'Sales', number: '12025550123', agent_id: null, summary: CALL_EXAMPLE.summary },
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

function speechExample(): Speech {
  return {
    ...{ brain: 'script', stt_url: null, stt_model: null, tts_url: null, tts_model: null, tts_voice: null },
    ...{ realtime_url: null, realtime_voice: null, key_configured: false },
  }
}
