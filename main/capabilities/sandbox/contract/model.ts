import { Type } from 'typebox'
import { operation, type Contract } from '../../../contract/operation.ts'
import { MODEL_FAULTS, ModelReply, SandboxModel } from '../../../contract/sandbox.ts'
import { Body } from '../../../contract/shapes.ts'

const ModelFaultBody = Body({
  kind: Type.Enum([...MODEL_FAULTS]),
  times: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, default: 1, description: 'How many requests it affects.' }),
  ),
})

const ModelRepliesBody = Body({ replies: Type.Array(ModelReply, { minItems: 1, maxItems: 100 }) })

export const modelContract = {
  readSandboxModel: operation({
    id: 'readSandboxModel',
    effects: [],
    method: 'GET',
    path: '/v1/sandbox/model',
    summary: 'Read how to use the sandbox model',
    description:
      'The service runs a stand-in for a large language model. It speaks the protocols of OpenAI, Anthropic and Google, ' +
      'answers from the FAQ in its prompt and from the results of its tools, and gives the same answer to the same ' +
      'request. It is not a model: use it to try out agents and to test programs, without a key or any cost.',
    scope: 'instances:read',
    reach: 'account',
    origin: 'ours',
    reply: {
      status: 200,
      description: 'Its addresses, the key of the account and its last requests.',
      schema: SandboxModel,
    },
    errors: [],
    examples: {
      reply: {
        base_url: 'https://model.sandbox/v1',
        local_url: 'http://127.0.0.1:40123/v1',
        api_key: 'sk-sandbox-0197f0c2-5d0e-4a3b9c8d7e6f5a4b',
        models: ['sandbox-1', 'sandbox-embedding', 'sandbox-transcribe', 'sandbox-speech'],
        queued_replies: 0,
        requests: [
          {
            at: '2026-03-01T09:30:00.000Z',
            path: '/v1/chat/completions',
            model: 'sandbox-1',
            status: 200,
            fault: null,
          },
        ],
      },
    },
    tool: {
      name: 'read_sandbox_model',
      title: 'Read how to use the sandbox model',
      idempotent: true,
      onRequest: true,
    },
  }),

  queueSandboxModelReplies: operation({
    id: 'queueSandboxModelReplies',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/sandbox/model/replies',
    summary: 'Set the next replies of the sandbox model',
    description:
      'The next requests of the account get these replies in this order, instead of one from the prompt. A reply has ' +
      '`text`, `tool_calls` or both, and may take its time (`delay_ms`). At most 1,000 replies can wait (409 ' +
      '`invalid_state`); a restart removes them.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: ModelRepliesBody,
    reply: {
      status: 200,
      description: 'How many replies wait now.',
      schema: Type.Object({ queued_replies: Type.Integer() }),
    },
    errors: ['invalid_state'],
    examples: {
      body: { replies: [{ text: 'We are open until 6 pm.' }] },
      reply: { queued_replies: 1 },
    },
    tool: {
      name: 'queue_sandbox_model_replies',
      title: 'Set the next replies of the sandbox model',
      idempotent: false,
      onRequest: true,
    },
  }),

  causeSandboxModelFault: operation({
    id: 'causeSandboxModelFault',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/model/faults',
    summary: 'Simulate a fault of the sandbox model',
    description:
      'Faults for the next `times` requests of the account: the key is refused, the rate limit is reached, the server ' +
      'fails, the connection closes in the middle of the answer, the answer or the arguments of a tool are not valid ' +
      'JSON, nothing is answered, or the answer starts two seconds late. Different faults occur one after another.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: ModelFaultBody,
    reply: {
      status: 200,
      description: 'The fault that was set.',
      schema: Type.Object({ kind: Type.Enum([...MODEL_FAULTS]), times: Type.Integer() }),
    },
    errors: [],
    examples: { body: { kind: 'rate_limited' }, reply: { kind: 'rate_limited', times: 1 } },
    tool: {
      name: 'cause_sandbox_model_fault',
      title: 'Simulate a fault of the sandbox model',
      idempotent: true,
      onRequest: true,
    },
  }),

  resetSandboxModel: operation({
    id: 'resetSandboxModel',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/sandbox/model',
    summary: 'Reset the sandbox model',
    description: 'Ends all faults of the account and removes its waiting replies and its list of requests.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    reply: { status: 204, description: 'Reset.', schema: null },
    errors: [],
    examples: {},
    tool: {
      name: 'reset_sandbox_model',
      title: 'Reset the sandbox model',
      idempotent: true,
      onRequest: true,
    },
  }),
} as const satisfies Contract
