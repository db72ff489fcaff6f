import { Type } from 'typebox'
import { operation, type Contract } from '../../../contract/operation.ts'
import { SandboxCall } from '../../../contract/sandbox.ts'
import { Body, Digits, Nullable, Uuid } from '../../../contract/shapes.ts'
import { SPOKEN_EXAMPLE } from './parts.ts'

const CALL_EXAMPLE = {
  call_id: '0197f0c2-7b4e-7a10-8c3d-2e9f5b6a1d70',
  instance_id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
  from: '12025550100',
  status: 'ringing',
  started_at: '2026-03-01T09:30:00.000Z',
} satisfies SandboxCall

export const callsContract = {
  callFromSandboxPhone: operation({
    id: 'callFromSandboxPhone',
    effects: ['simulated_people'],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/calls',
    summary: 'Call from a sandbox phone',
    description:
      'Calls `to`. It rings for 30 seconds at every instance that has this number. Their webhooks ' +
      '(`PUT /v1/instances/{id}/webhook`) receive `CALL`. Reject the call with `call/reject` of the smv2 engine.\n\n' +
      'Where voice is enabled, the call is also in the list of calls: an agent answers if the number is set to, or it ' +
      'rings in the window and somebody there answers or declines. The caller then says a few lines and hangs up.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: Body({ to: Digits, video: Type.Optional(Type.Boolean({ default: false })) }),
    reply: {
      status: 201,
      description: 'It rings.',
      schema: Type.Object({
        call_id: Type.String(),
        instance_ids: Type.Array(Uuid, { description: 'Where it rings. Empty if no instance has the number.' }),
        voice_call: Nullable(
          Type.Object(
            { instance_id: Uuid, call_id: Uuid },
            {
              description:
                'The call as `GET /v1/instances/{id}/voice/calls/{call_id}` shows it. `null`: it only rings, because voice is ' +
                'not enabled there, or it is a video call.',
            },
          ),
        ),
      }),
    },
    errors: [],
    examples: {
      body: { to: '12025550100' },
      reply: {
        call_id: SPOKEN_EXAMPLE.id,
        instance_ids: ['0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'],
        voice_call: {
          instance_id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
          call_id: '0197f0c2-7b4e-7a10-8c3d-2e9f5b6a1d70',
        },
      },
    },
    tool: { name: 'call_from_sandbox_phone', title: 'Call from a sandbox phone', idempotent: false },
  }),

  listCallsToSandboxPhone: operation({
    id: 'listCallsToSandboxPhone',
    effects: [],
    method: 'GET',
    path: '/v1/sandbox/phones/{number}/calls',
    summary: 'List calls to a sandbox phone',
    description:
      'Calls from your numbers that ring at this phone or were answered, the longest first, until they end. `call_id` is ' +
      'that of `GET /v1/instances/{id}/voice/calls/{call_id}`.',
    scope: 'instances:read',
    reach: 'account',
    origin: 'ours',
    reply: { status: 200, description: 'The calls.', schema: Type.Object({ data: Type.Array(SandboxCall) }) },
    errors: [],
    examples: { reply: { data: [CALL_EXAMPLE] } },
    tool: {
      name: 'list_calls_to_sandbox_phone',
      title: 'List calls to a sandbox phone',
      idempotent: true,
      onRequest: true,
    },
  }),

  answerSandboxCall: operation({
    id: 'answerSandboxCall',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/calls/{call_id}/answer',
    summary: 'Answer a call on a sandbox phone',
    description:
      'The phone answers a call from one of your numbers that rings at it. The person says a few lines and hangs up, ' +
      'unless somebody hangs up before. A call that was answered stays so. A call that has ended: 404.\n\n' +
      'Set `calls` of the phone to `manual`, or a simulated person may be faster.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    reply: { status: 204, description: 'Answered.', schema: null },
    errors: [],
    examples: {},
    tool: { name: 'answer_sandbox_call', title: 'Answer a call on a sandbox phone', idempotent: true, onRequest: true },
  }),

  hangUpSandboxCall: operation({
    id: 'hangUpSandboxCall',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/calls/{call_id}/hang-up',
    summary: 'Hang up on a sandbox phone',
    description:
      'The phone gives up a call that it began and that rings, declines one that rings at it, or ends one that was ' +
      'answered. A call that has ended: 404.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    reply: { status: 204, description: 'Hung up.', schema: null },
    errors: [],
    examples: {},
    tool: { name: 'hang_up_sandbox_call', title: 'Hang up on a sandbox phone', idempotent: false, onRequest: true },
  }),
} as const satisfies Contract
