import { Type, type Static } from 'typebox'
import { operation, type Contract } from '../../../contract/operation.ts'
import { GRAPH_FAULTS, GraphCredentials, LINK_FAULTS, PHONE_SETTINGS, SEND_FAULTS } from '../../../contract/sandbox.ts'
import { Body, Digits, Nullable, Uuid } from '../../../contract/shapes.ts'
import { MESSAGE_EXAMPLE } from './parts.ts'

const FaultKind = Type.Enum([...SEND_FAULTS, ...LINK_FAULTS])

const FaultBody = Body({
  kind: FaultKind,
  times: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 1,
      description: 'How many sends it affects. `drop`, `logout` and `ban` happen once, immediately.',
    }),
  ),
})

const GraphNumberBody = Body({
  number: Digits,
  name: Type.Optional(PHONE_SETTINGS.name),
  waba_id: Type.Optional(
    Type.String({
      pattern: '^[0-9]{5,30}$',
      description: 'Adds the number to an existing WhatsApp Business account. By default it gets a new one.',
    }),
  ),
  portfolio_id: Type.Optional(
    Type.String({
      pattern: '^[0-9]{5,30}$',
      description:
        'Adds the number to an existing Meta portfolio of the account. By default that of `waba_id`, or a new one.',
    }),
  ),
  messaging_limit: Type.Optional(
    Type.String({
      pattern: '^TIER_([0-9]{1,6}K?|UNLIMITED)$',
      default: 'TIER_250',
      description: 'Of a new portfolio: how many people its numbers reach in 24 hours outside the 24-hour window.',
    }),
  ),
  registered: Type.Optional(
    Type.Boolean({
      default: true,
      description: '`false` for a number that is new to the Cloud API and needs a PIN during onboarding.',
    }),
  ),
})
export type GraphNumberBody = Static<typeof GraphNumberBody>

const GraphFaultBody = Body({
  kind: Type.Enum([...GRAPH_FAULTS]),
  times: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, default: 1, description: 'How many sends or callbacks it affects.' }),
  ),
})

export const faultsContract = {
  causeSandboxFault: operation({
    id: 'causeSandboxFault',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/instances/{id}/faults',
    summary: 'Simulate a fault for a sandbox instance',
    description:
      'Faults for the next `times` sends: `unreachable` (502, nothing is sent), `timeout` (504; the message is delivered 5 ' +
      'seconds later), `restricted` (messages to people who never wrote are rejected with 463, and health shows the ' +
      'restriction for a minute; on the official engine they fail with 131048), `engine_down` (502, and health reports ' +
      'the engine as unreachable until the fault is used up or the instance is restarted).\n\n' +
      'Faults of the connection, which happen immediately: `drop` (the connection is lost and returns after 8 seconds), ' +
      '`logout` and `ban` (the session ends; restart and pair again). They need a paired instance, otherwise they answer ' +
      '409 `invalid_state`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: FaultBody,
    reply: {
      status: 201,
      description: 'The fault is set or, for connection faults, has happened.',
      schema: Type.Object({
        instance_id: Uuid,
        kind: FaultKind,
        times: Nullable(Type.Integer({ description: 'How many sends it will affect. `null` for connection faults.' })),
      }),
    },
    errors: ['invalid_state'],
    examples: {
      body: { kind: 'timeout', times: 2 },
      reply: { instance_id: MESSAGE_EXAMPLE.instance_id, kind: 'timeout', times: 2 },
    },
    tool: {
      name: 'cause_sandbox_fault',
      title: 'Simulate a fault for a sandbox instance',
      idempotent: false,
    },
  }),

  onboardSandboxInstance: operation({
    id: 'onboardSandboxInstance',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/instances/{id}/onboard',
    summary: 'Complete the onboarding of an official sandbox instance',
    description:
      'Does the same as the button on the page at `onboarding_url`: the instance connects with this number, and ' +
      '`instance.connected` follows. Answers 409 `invalid_state` if the instance already has a number.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: Body({ number: Digits }),
    reply: {
      status: 200,
      description: 'The instance is connected with the number.',
      schema: Type.Object({ instance_id: Uuid, number: Digits, connected: Type.Literal(true) }),
    },
    errors: ['engine_mismatch', 'invalid_state'],
    examples: {
      body: { number: '12025550200' },
      reply: { instance_id: MESSAGE_EXAMPLE.instance_id, number: '12025550200', connected: true },
    },
    tool: {
      name: 'onboard_sandbox_instance',
      title: 'Complete the onboarding of an official sandbox instance',
      idempotent: false,
    },
  }),

  createSandboxGraphNumber: operation({
    id: 'createSandboxGraphNumber',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/graph/numbers',
    summary: 'Create a number in the Graph API simulator',
    description:
      'With the setting `official.graph_base_url` set to `sandbox`, the service runs a simulator of Meta’s Graph API, and ' +
      'live official instances use it over HTTP in place of Meta. The response has the values their onboarding page asks ' +
      'for. Messages go to sandbox phones. Without that setting: 409 `invalid_state`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: GraphNumberBody,
    reply: { status: 201, description: 'The credentials of the number.', schema: GraphCredentials },
    errors: ['invalid_state'],
    examples: {
      body: { number: '12025550200', name: 'Garden shop' },
      reply: {
        number: '12025550200',
        phone_number_id: '1065403522429220',
        waba_id: '1022901293403980',
        portfolio_id: '2729063490586005',
        access_token: 'EAASANDBOX5f0c',
        app_secret: '0123456789abcdef0123456789abcdef',
      },
    },
    tool: {
      name: 'create_sandbox_graph_number',
      title: 'Create a number in the Graph API simulator',
      idempotent: false,
    },
  }),

  causeSandboxGraphFault: operation({
    id: 'causeSandboxGraphFault',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/graph/numbers/{phone_number_id}/faults',
    summary: 'Simulate a Graph API fault',
    description:
      'Faults for the next `times` sends of the number: the connection closes before or after the message is accepted, or ' +
      'the response is late, a server error or truncated. `token_dead` revokes its access token. `reorder_callbacks` and ' +
      '`batch_callbacks` hold `times` callbacks and then send them in reverse order or in one request. ' +
      '`duplicate_callbacks` sends every callback twice until the service restarts.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: GraphFaultBody,
    reply: {
      status: 200,
      description: 'The fault that was set.',
      schema: Type.Object({
        phone_number_id: Type.String(),
        kind: Type.Enum([...GRAPH_FAULTS]),
        times: Type.Integer(),
      }),
    },
    errors: [],
    examples: {
      body: { kind: 'close_after_read' },
      reply: { phone_number_id: '1065403522429220', kind: 'close_after_read', times: 1 },
    },
    tool: {
      name: 'cause_sandbox_graph_fault',
      title: 'Simulate a Graph API fault',
      idempotent: true,
    },
  }),
} as const satisfies Contract
