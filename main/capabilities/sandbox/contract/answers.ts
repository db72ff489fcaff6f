import { Type } from 'typebox'
import { operation, type Contract } from '../../../contract/operation.ts'
import { SandboxMessage, SpokenMessage } from '../../../contract/sandbox.ts'
import { Body } from '../../../contract/shapes.ts'
import { MESSAGE_EXAMPLE, SPOKEN_EXAMPLE } from './parts.ts'

const TapBody = Body(
  {
    id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'Of the button, the row or the product.' }),
    ),
    response: Type.Optional(
      Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
        description: 'What the form or the address is filled with.',
      }),
    ),
    location: Type.Optional(
      Type.Object(
        {
          latitude: Type.Number({ minimum: -90, maximum: 90 }),
          longitude: Type.Number({ minimum: -180, maximum: 180 }),
          name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
        },
        { additionalProperties: false, description: 'The place that the message asks for.' },
      ),
    ),
  },
  { description: 'What the message has: `id`, `response` or `location`.' },
)

export const answersContract = {
  voteInSandboxPoll: operation({
    id: 'voteInSandboxPoll',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/messages/{id}/vote',
    summary: 'Vote in a poll on a sandbox phone',
    description:
      'Votes in a poll in one of this phone’s chats. `options` are all options chosen now: they replace the earlier vote ' +
      'of this phone, and an empty list removes it. Instances receive `message.received` with `type: "poll_vote"`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: Body({
      options: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        maxItems: 32,
        uniqueItems: true,
        description: 'Texts of options of the poll.',
      }),
    }),
    reply: { status: 200, description: 'The poll.', schema: SandboxMessage },
    errors: ['invalid_state'],
    examples: { body: { options: ['Today'] }, reply: { ...MESSAGE_EXAMPLE, type: 'poll', text: 'When?' } },
    tool: {
      name: 'vote_in_sandbox_poll',
      title: 'Vote in a poll on a sandbox phone',
      idempotent: true,
    },
  }),

  tapSandboxMessage: operation({
    id: 'tapSandboxMessage',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/messages/{id}/tap',
    summary: 'Tap a button on a sandbox phone',
    description:
      'Taps a message with buttons, a list or a form that this phone has received. Instances receive what the phone sends ' +
      'back as `message.received`, with `content` of the type `button_reply`, `list_reply`, `flow_reply`, `order`, `contacts` or ' +
      '`location`. Links send nothing back.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: TapBody,
    reply: { status: 201, description: 'What the phone sent.', schema: SpokenMessage },
    errors: ['invalid_state'],
    examples: {
      body: { id: 'yes' },
      reply: { ...SPOKEN_EXAMPLE, text: 'Yes', instance_ids: [MESSAGE_EXAMPLE.instance_id] },
    },
    tool: {
      name: 'tap_sandbox_message',
      title: 'Tap a button on a sandbox phone',
      onRequest: true,
      idempotent: false,
    },
  }),
} as const satisfies Contract
