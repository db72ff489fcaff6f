import { Type } from 'typebox'
import { operation, type Contract } from '../../../contract/operation.ts'
import { CatcherReply, CatcherView } from '../../../contract/sandbox.ts'
import { Body } from '../../../contract/shapes.ts'
import { PageQuery } from './parts.ts'

const ReplyBody = Body({
  status: Type.Optional(Type.Integer({ ...CatcherReply.properties.status, default: 200 })),
  delay_ms: Type.Optional(Type.Integer({ ...CatcherReply.properties.delay_ms, default: 0 })),
  hang: Type.Optional(Type.Boolean({ ...CatcherReply.properties.hang, default: false })),
})

const EVENT_EXAMPLE = '{"event_id":"evt_01KCW8ZJ4N3Q7V0F5T2B9XEMRD","type":"message.sent","attempt":1}'

export const catcherContract = {
  readSandboxCatcher: operation({
    id: 'readSandboxCatcher',
    effects: [],
    method: 'GET',
    path: '/v1/sandbox/catcher/{name}',
    summary: 'Read what a catcher received',
    description:
      'A catcher is a test receiver inside the service. It gets the requests of webhooks whose `url` is ' +
      '`https://catcher.sandbox/{name}`, keeps the newest 10,000 with their exact body and whether the signature is valid, ' +
      'and answers 200 by default. Every name (1 to 64 letters, digits or . _ ~ -) has a catcher; you do not need to create ' +
      'it. Requests are listed newest first.',
    scope: 'instances:read',
    reach: 'account',
    origin: 'ours',
    query: PageQuery,
    reply: {
      status: 200,
      description: 'How the catcher responds, and a page of the requests it received.',
      schema: CatcherView,
    },
    errors: ['invalid_cursor'],
    examples: {
      reply: {
        name: 'orders',
        reply: { status: 200, delay_ms: 0, hang: false },
        data: [
          {
            received_at: '2026-03-01T09:30:00.200Z',
            headers: { 'content-type': 'application/json', 'x-service-attempt': '1' },
            body: EVENT_EXAMPLE,
            signature: 'valid',
          },
        ],
        next_cursor: null,
        has_more: false,
      },
    },
    tool: {
      name: 'read_sandbox_catcher',
      title: 'Read what a catcher received',
      idempotent: true,
      untrusted: true,
    },
  }),

  setSandboxCatcherReply: operation({
    id: 'setSandboxCatcherReply',
    effects: [],
    method: 'PUT',
    path: '/v1/sandbox/catcher/{name}',
    summary: 'Set the response of a catcher',
    description:
      'Sets the status and delay the catcher responds with from the next request on, or makes it hang. Fields you leave ' +
      'out are reset to their defaults (200, no delay). Statuses 300 to 399 come with a `Location` that points back to the ' +
      'catcher.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: ReplyBody,
    reply: {
      status: 200,
      description: 'The new response.',
      schema: Type.Object({ name: Type.String(), reply: CatcherReply }),
    },
    errors: [],
    examples: { body: { status: 410 }, reply: { name: 'orders', reply: { status: 410, delay_ms: 0, hang: false } } },
    tool: {
      name: 'set_sandbox_catcher_reply',
      title: 'Set the response of a catcher',
      idempotent: true,
    },
  }),

  emptySandboxCatcher: operation({
    id: 'emptySandboxCatcher',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/sandbox/catcher/{name}',
    summary: 'Empty a catcher',
    description: 'Deletes all requests the catcher received. Its response setting is kept.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    reply: { status: 204, description: 'Emptied.', schema: null },
    errors: [],
    examples: {},
    tool: { name: 'empty_sandbox_catcher', title: 'Empty a catcher', idempotent: true },
  }),
} as const satisfies Contract
