import { Type, type Static } from 'typebox'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, Digits, List } from '../../../contract/shapes.ts'
import { CallDirection, CallReview, CallStatus, VoiceCall } from '../../../contract/voice.ts'
import { CALL_EXAMPLE, REVIEW_EXAMPLE, RUNNING_EXAMPLE } from '../../../contract/voice-examples.ts'
import { page, under, reads, manages, quiet, callReply } from './parts.ts'

const AgentId = Type.String({ minLength: 1, maxLength: 64, description: 'An AI agent of this instance.' })
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

const DigitsBody = Body({
  digits: Type.String({
    pattern: `^[0-9A-D*#]{1,${LIMITS.voiceDigits}}$`,
    description: `Keys of a telephone: 0 to 9, *, #, A to D; at most ${LIMITS.voiceDigits}.`,
    examples: ['1'],
  }),
})

const TRUNK_ERRORS = ['upstream_unavailable', 'upstream_timeout'] as const

export const callsContract = {
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
    // The trunk charges for the call to the other number.
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
} as const satisfies Contract
