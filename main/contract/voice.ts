import { Type, type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { Body, Nullable, Timestamp, Uuid, TimeZone } from './shapes.ts'

/** Schemas of calls, recordings and widgets. The operations are in capabilities/voice/contract.ts. */

const CALL_STATUSES = [
  ...(['scheduled', 'dialing', 'ringing', 'in_progress'] as const),
  ...(['completed', 'no_answer', 'busy', 'rejected', 'failed', 'canceled'] as const),
] as const
export type CallStatus = (typeof CALL_STATUSES)[number]
export const CallStatus = Type.Enum([...CALL_STATUSES], {
  description:
    '`scheduled`, `dialing`, `ringing` and `in_progress` are stages of a call. The others are final: `completed` if ' +
    'somebody answered and the call ended normally, `failed` if it could not be made or broke off; see `end_reason`.',
})

export const CallDirection = Type.Enum(['inbound', 'outbound'], {
  description: '`inbound`: the person called, or opened a widget. `outbound`: you called.',
})
export type CallDirection = Static<typeof CallDirection>

export const CallSource = Type.Enum(['api', 'mcp', 'console', 'ai', 'phone', 'widget'], {
  description:
    'Where the call was requested from. `phone`: the person called the number. `widget`: a visitor of a web page.',
})
export type CallSource = Static<typeof CallSource>

const GATEWAYS = ['sandbox', 'cloud', 'sip', 'widget'] as const
export type Gateway = (typeof GATEWAYS)[number]
export const Gateway = Type.Enum([...GATEWAYS], {
  description:
    'How the call travels. `sandbox`: simulated. `cloud`: a WhatsApp call over Meta’s Cloud API. `sip`: a telephone call ' +
    'over your SIP trunk, not a WhatsApp call. `widget`: a browser.',
})

const END_REASONS = [
  ...(['person_hung_up', 'agent_hung_up', 'operator_hung_up', 'time_limit', 'canceled'] as const),
  ...(['no_answer', 'busy', 'rejected', 'number_not_callable', 'call_permission_required'] as const),
  ...(['app_offline', 'app_closed', 'app_crashed', 'not_ready', 'voice_off', 'trial_used_up'] as const),
  ...(['agent_gone', 'agent_failed', 'gateway_unavailable', 'instance_deleted', 'receiving_off'] as const),
  ...(['calls_not_offered'] as const),
  ...(['instance_transferred', 'account_suspended', 'account_frozen', 'transferred'] as const),
  ...(['no_media_connection', 'codec_not_supported', 'media_lost', 'storage_full', 'restored'] as const),
] as const
export type EndReason = (typeof END_REASONS)[number]
export const EndReason = Type.Enum([...END_REASONS], {
  description:
    'Why the call ended. `call_permission_required`: the person has not allowed calls; a request was sent if the quota ' +
    'allowed it. `app_offline`: more than 15 minutes had passed since the scheduled time when the app was started, the computer woke, or its ' +
    'clock was set forward. `app_closed`, ' +
    '`app_crashed`: it ended during the call. `not_ready`: the instance was not connected. `calls_not_offered`: Meta offers ' +
    'no calls from this number, because they are not turned on, its messaging limit is below 2,000, or because of its country. ' +
    '`voice_off`: voice was not ' +
    'enabled. `trial_used_up`: no calls are left. `agent_gone`: the agent was deleted. `agent_failed`: its speech or model ' +
    'service failed. `instance_transferred`: the instance was moved to another account. `account_suspended`: the agency ' +
    'has suspended the account. `transferred`: the person was transferred to another number, where they may still be ' +
    'talking. `account_frozen`: a payment failed more than seven days ago. `no_media_connection`: no sound ' +
    'arrived within 20 seconds, so the call is not counted. `media_lost`: no sound arrived for ' +
    'five seconds. `storage_full`: the disk was full while recording. `restored`: a backup was restored after ' +
    'the call was due, so it may have been made already.',
})

const TRANSFER_FAILURES = [
  ...(['busy', 'no_answer', 'rejected', 'number_not_callable', 'refused', 'timed_out', 'failed'] as const),
] as const
export type TransferFailure = (typeof TRANSFER_FAILURES)[number]

const CallTransfer = Type.Object(
  {
    to_number: Type.String(),
    status: Type.Enum(['pending', 'completed', 'failed', 'unknown'], {
      description:
        '`failed`: the call went on; see `failure`. `unknown`: the trunk never said how it went, or the call ended first.',
    }),
    failure: Nullable(
      Type.Enum([...TRANSFER_FAILURES], {
        description:
          '`refused`: the trunk makes no transfers, or not to this number. `timed_out`: the trunk reported no result within ' +
          '90 seconds. The others say what the number answered.',
      }),
    ),
    requested_at: Timestamp,
  },
  { description: 'The last transfer of the person to another number.' },
)
export type CallTransfer = Static<typeof CallTransfer>

export const VoiceCall = Type.Object({
  id: Uuid,
  instance_id: Uuid,
  agent_id: Nullable(Type.String({ description: 'null: a person at the console talks.' })),
  to_number: Nullable(Type.String({ description: 'Who is called: digits. null for a widget.' })),
  from_number: Nullable(Type.String({ description: 'Who calls: digits, if known.' })),
  direction: CallDirection,
  source: CallSource,
  gateway: Gateway,
  status: CallStatus,
  scheduled_at: Timestamp,
  started_at: Nullable(Type.String({ format: 'date-time', description: 'When dialing began, or the call came in.' })),
  answered_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
  duration_seconds: Nullable(Type.Integer({ minimum: 0, description: 'From answer to end.' })),
  end_reason: Nullable(EndReason),
  held_at: Nullable(Type.String({ format: 'date-time', description: 'Since when the person is on hold; null: not.' })),
  transfer: Nullable(CallTransfer),
  attempt: Type.Integer({ minimum: 0, description: 'How often it was dialed: 0 or 1. A call is never dialed twice.' }),
  batch_id: Nullable(Type.String()),
  widget_id: Nullable(Type.String()),
  recording_id: Nullable(Type.String({ description: 'Set once the recording can be downloaded.' })),
  summary: Nullable(Type.String()),
  created_at: Timestamp,
})
export type VoiceCall = Static<typeof VoiceCall>

export const TranscriptLine = Type.Object({
  speaker: Type.Enum(['agent', 'person'], {
    description: '`agent`: your side, also when a person at the console talks.',
  }),
  start_ms: Type.Integer({ minimum: 0, description: 'From the answer, and so from the start of the recording.' }),
  end_ms: Type.Integer({ minimum: 0 }),
  text: Type.String(),
})
export type TranscriptLine = Static<typeof TranscriptLine>

export const CallReview = Type.Object({
  transcript: Type.Array(TranscriptLine),
  summary: Nullable(Type.String()),
  summary_by: Nullable(
    Type.Enum(['model', 'extract'], { description: '`extract`: made from the transcript without a model.' }),
  ),
  coaching: Type.Array(Type.String(), { description: 'Three notes about how the agent did, if coaching is on.' }),
  coaching_by: Nullable(
    Type.Enum(['model', 'extract'], {
      description: '`extract`: made from the transcript without a model, in English.',
    }),
  ),
})
export type CallReview = Static<typeof CallReview>

export const VoiceRecording = Type.Object({
  id: Uuid,
  duration_seconds: Type.Integer({ minimum: 0 }),
  format: Type.Literal('ogg', {
    description: 'Ogg with Opus, stereo: the agent on the left, the person on the right.',
  }),
  download_available: Type.Boolean({
    description: 'false: the file is missing from the disk, so the recording can only be deleted.',
  }),
  download_url: Type.String({ description: 'Path relative to the base URL. It redirects to the file.' }),
  call_id: Uuid,
  instance_id: Uuid,
  direction: CallDirection,
  source: CallSource,
  has_audio: Type.Boolean({ description: 'false if nobody spoke.' }),
  sandbox: Type.Boolean({ description: 'true: the other side was simulated.' }),
  size_bytes: Type.Integer({ minimum: 0 }),
  ended_at: Timestamp,
  created_at: Timestamp,
  expires_at: Nullable(Type.String({ format: 'date-time', description: 'When it is deleted; null: it is kept.' })),
})
export type VoiceRecording = Static<typeof VoiceRecording>

const Time = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', examples: ['09:00'] })

export const CallingHours = Body({
  start: Time,
  end: Type.String({
    pattern: '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$',
    description: 'Before `start`: on the next day, which need not be listed in `days`. 24:00 is midnight.',
    examples: ['18:00'],
  }),
  timezone: TimeZone('Of `start`, `end` and `days`.'),
  days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
    minItems: 1,
    maxItems: 7,
    uniqueItems: true,
    description: '1 is Monday.',
  }),
})
export type CallingHours = Static<typeof CallingHours>

export const VoiceSettings = Type.Object({
  summary_enabled: Type.Boolean({ description: 'Summarizes each call after it ends. On by default.' }),
  summary_emails: Type.Array(Type.String(), { description: 'Who gets the summary by mail.' }),
  coach_enabled: Type.Boolean({ description: 'Adds three notes about how the agent did.' }),
  receive_enabled: Type.Boolean({ description: 'Answers incoming calls with an agent.' }),
  receive_agent_id: Nullable(Type.String({ description: 'Which agent; null: the primary one.' })),
  announcement: Nullable(
    Type.String({ description: 'Said first in every call, such as that it is recorded. Laws differ by country.' }),
  ),
  calling_hours: Nullable(CallingHours),
  keep_recordings_days: Nullable(Type.Integer({ description: 'null: recordings are kept.' })),
})
export type VoiceSettings = Static<typeof VoiceSettings>

export const VoiceSettingsPatch = Body({
  summary_enabled: Type.Optional(Type.Boolean()),
  summary_emails: Type.Optional(
    Type.Array(Type.String({ minLength: 3, maxLength: 254, pattern: '^[^\\s@<>,;]+@[^\\s@<>,;]+$' }), {
      maxItems: LIMITS.voiceEmails,
      uniqueItems: true,
      examples: [['sales@example.com']],
    }),
  ),
  coach_enabled: Type.Optional(Type.Boolean()),
  receive_enabled: Type.Optional(Type.Boolean()),
  receive_agent_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 64 }))),
  announcement: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: LIMITS.voiceAnnouncementLength }))),
  calling_hours: Type.Optional(Nullable(CallingHours)),
  keep_recordings_days: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 3_650 }))),
})
export type VoiceSettingsPatch = Static<typeof VoiceSettingsPatch>

const UNAVAILABLE_REASONS = ['no_gateway', 'speech_unavailable', 'process_failed'] as const
export type UnavailableReason = (typeof UNAVAILABLE_REASONS)[number]

export const VoiceStatus = Type.Object({
  voice_available: Type.Boolean({ description: 'Whether this instance can make calls here.' }),
  enabled: Type.Boolean(),
  unlimited: Type.Boolean({ description: 'true with a voice package.' }),
  remaining: Nullable(
    Type.Integer({
      minimum: 0,
      description:
        'Calls left of the trial; null if unlimited. A call is counted once it is answered and sound arrives.',
    }),
  ),
  channels: Type.Integer({ description: 'How many calls may run at once. Widgets have as many of their own.' }),
  active_calls: Type.Integer({ minimum: 0, description: 'Without calls from widgets.' }),
  gateway: Nullable(Gateway),
  unavailable_reason: Nullable(Type.Enum([...UNAVAILABLE_REASONS])),
  unavailable_message: Nullable(Type.String({ description: 'What is missing, and what to do.' })),
  settings: VoiceSettings,
})
export type VoiceStatus = Static<typeof VoiceStatus>

export const WIDGET_LANGUAGES = ['en', 'pt-BR', 'es'] as const

export const WidgetAppearance = Body({
  color: Type.String({ pattern: '^#[0-9a-fA-F]{6}$', examples: ['#0f766e'] }),
  position: Type.Enum(['right', 'left']),
  language: Type.Enum(['auto', ...WIDGET_LANGUAGES], {
    description: '`auto`: that of the page, from its `lang` attribute, else that of the visitor’s browser.',
  }),
  title: Nullable(Type.String({ minLength: 1, maxLength: 60, description: 'Shown on the button; null: a default.' })),
})
export type WidgetAppearance = Static<typeof WidgetAppearance>

const WidgetName = Type.String({ minLength: 1, maxLength: LIMITS.voiceWidgetNameLength, examples: ['Website'] })
const AllowedOrigins = Type.Array(Type.String({ minLength: 8, maxLength: 300 }), {
  minItems: 1,
  maxItems: LIMITS.voiceWidgetOrigins,
  uniqueItems: true,
  description:
    'Origins of the pages that may use it: scheme, host and port, exactly. https only; http for loopback addresses.',
  examples: [['https://www.example.com']],
})

const DailyCap = Type.Integer({
  minimum: 1,
  maximum: LIMITS.voiceWidgetDailyCapMax,
  description:
    'How many calls it takes within a day of the account’s time zone. A call is counted once sound arrives. ' +
    `Default: ${LIMITS.voiceWidgetDailyCap}.`,
})

export const NewWidget = Body({
  name: WidgetName,
  allowed_origins: AllowedOrigins,
  agent_id: Type.Optional(
    Nullable(
      Type.String({ minLength: 1, maxLength: 64, description: 'null: the primary agent, as it is at each call.' }),
    ),
  ),
  video_enabled: Type.Optional(
    Type.Boolean({ description: 'Shows visitors a preview of their own camera. No video is sent.' }),
  ),
  appearance: Type.Optional(WidgetAppearance),
  daily_cap: Type.Optional(DailyCap),
})
export type NewWidget = Static<typeof NewWidget>

export const WidgetPatch = Body({
  name: Type.Optional(WidgetName),
  allowed_origins: Type.Optional(AllowedOrigins),
  agent_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 64 }))),
  video_enabled: Type.Optional(Type.Boolean()),
  appearance: Type.Optional(WidgetAppearance),
  daily_cap: Type.Optional(DailyCap),
})
export type WidgetPatch = Static<typeof WidgetPatch>

export const VoiceWidget = Type.Object({
  id: Uuid,
  instance_id: Uuid,
  name: WidgetName,
  allowed_origins: Type.Array(Type.String()),
  agent_id: Nullable(Type.String()),
  video_enabled: Type.Boolean(),
  appearance: WidgetAppearance,
  daily_cap: DailyCap,
  used_today: Type.Integer({
    minimum: 0,
    description: 'Calls counted today. A visitor who was never heard is not one.',
  }),
  public_key: Type.String({
    pattern: '^wid_',
    description: 'Part of the page. It is not an API key and opens nothing else.',
  }),
  embed_snippet: Type.String({ description: 'Put it into the page, before `</body>`.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type VoiceWidget = Static<typeof VoiceWidget>
