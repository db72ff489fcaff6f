import { Type, type Static } from 'typebox'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, Nullable, Timestamp, Uuid } from '../../../contract/shapes.ts'
import { ofMembers, ofOperators } from './parts.ts'

const ToolCall = Type.Object({
  id: Type.Integer({ description: 'Increases with each call of the account since the service started.' }),
  at: Timestamp,
  key: Nullable(Type.Object({ id: Uuid, name: Type.String(), last4: Type.String() })),
  tool: Type.String(),
  status: Type.Enum(['done', 'refused', 'waiting'], {
    description: '`waiting`: a person must approve the call first. `refused`: nothing was done.',
  }),
  error_code: Nullable(Type.String({ description: 'Error code if it was refused.' })),
  ms: Type.Integer({ description: 'Duration in milliseconds.' }),
  approval_id: Nullable(Type.String({ description: 'The approval it requested or ran under.' })),
})
export type ToolCallRecord = Static<typeof ToolCall>

const Assistant = Type.Object({
  key: Nullable(Type.Object({ id: Uuid, name: Type.String(), last4: Type.String() })),
  client: Type.Object({
    name: Type.String({ description: 'What the client calls itself.' }),
    version: Type.String({ description: 'Empty if the client does not say.' }),
  }),
  last_seen_at: Timestamp,
})

/** Contains only harmless data, for support. */
const Diagnostics = Type.Object({
  made_at: Timestamp,
  version: Type.String(),
  platform: Type.Object({
    node: Type.String(),
    sqlite: Type.String(),
    system: Type.String(),
    memory_bytes: Type.Integer(),
  }),
  service: Type.Object({}, { additionalProperties: true }),
  storage: Type.Object({}, { additionalProperties: true }),
  settings: Type.Array(Type.Object({}, { additionalProperties: true })),
  counts: Type.Object({}, { additionalProperties: true }),
  log: Type.Array(Type.Object({}, { additionalProperties: true })),
})

export const consoleContract = {
  getDiagnostics: operation({
    ...ofOperators,
    id: 'getDiagnostics',
    effects: [],
    method: 'GET',
    path: '/v1/service/diagnostics',
    summary: 'Get diagnostics',
    description:
      'Versions, settings, counts and the latest log lines, to share with support. Contains no names, numbers, ' +
      'messages, addresses or secrets.',
    reply: { status: 200, description: 'The diagnostics.', schema: Diagnostics },
    errors: [],
    examples: {
      reply: {
        made_at: '2026-03-01T09:30:00.000Z',
        version: '0.1.0',
        platform: { node: '24.21.0', sqlite: '3.51.3', system: 'linux x64', memory_bytes: 90_000_000 },
        service: {},
        storage: {},
        settings: [],
        counts: {},
        log: [],
      },
    },
  }),
  listToolCalls: operation({
    ...ofMembers,
    id: 'listToolCalls',
    effects: [],
    method: 'GET',
    path: '/v1/service/tool-calls',
    summary: 'List assistant calls',
    description:
      'The last 200 MCP tool calls since the service started, newest first: who called which tool, when, and ' +
      'whether it ran. Arguments and results are not stored.',
    reply: { status: 200, description: 'The calls.', schema: Type.Object({ data: Type.Array(ToolCall) }) },
    errors: [],
    examples: {
      reply: {
        data: [
          {
            id: 7,
            at: '2026-03-01T09:30:00.000Z',
            key: { id: '019b8d3f-0b52-7e94-8d07-6a1c9e8f7b30', name: 'Assistant', last4: 'k3Zq' },
            tool: 'send_message',
            status: 'done',
            error_code: null,
            ms: 210,
            approval_id: null,
          },
        ],
      },
    },
  }),
  listAssistants: operation({
    ...ofMembers,
    id: 'listAssistants',
    effects: [],
    method: 'GET',
    path: '/v1/service/assistants',
    summary: 'List connected assistants',
    description:
      'The MCP clients that have connected since the service started, most recently seen first, with the key each one ' +
      'uses. Kept in memory only.',
    reply: { status: 200, description: 'The clients.', schema: Type.Object({ data: Type.Array(Assistant) }) },
    errors: [],
    examples: {
      reply: {
        data: [
          {
            key: { id: '019b8d3f-0b52-7e94-8d07-6a1c9e8f7b30', name: 'Assistant', last4: 'k3Zq' },
            client: { name: 'Claude Code', version: '2.1.0' },
            last_seen_at: '2026-03-01T09:30:00.000Z',
          },
        ],
      },
    },
  }),
  putConsolePassword: operation({
    ...ofOperators,
    id: 'putConsolePassword',
    effects: ['access'],
    method: 'PUT',
    path: '/v1/service/password',
    summary: 'Set the console password',
    description:
      'Lets the operator sign in to the console in a browser with a password. null removes it: only one-time links sign ' +
      'in from then on. The operator’s other sessions end, and sign-in links that were not used stop working. Members ' +
      'have passwords of their own, so the account of a client has none: 409 `invalid_state`.',
    body: Body({
      password: Nullable(
        Type.String({
          minLength: LIMITS.passwordLength,
          maxLength: LIMITS.passwordLongest,
          description: `At least ${LIMITS.passwordLength} characters.`,
        }),
      ),
    }),
    reply: { status: 204, description: 'Takes effect from the next sign-in.', schema: null },
    errors: ['invalid_state'],
    examples: { body: { password: 'correct horse battery staple' } },
  }),
} as const satisfies Contract
