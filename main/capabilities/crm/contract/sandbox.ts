import { Type } from 'typebox'
import { operation, type Contract } from '../../../contract/operation.ts'
import {
  GHL_FAULTS,
  GhlContact,
  GhlContactBody,
  GhlConversation,
  GhlMessage,
  GhlMessageBody,
} from '../../../contract/sandbox-ghl.ts'
import { Body, List, PageSize } from '../../../contract/shapes.ts'
import { LOCATION } from './parts.ts'

const CONTACT_EXAMPLE: GhlContact = {
  id: 'ocQHyuzHvysMo5N5VsXc',
  location_id: LOCATION,
  conversation_id: 'tDtDnQdgm2LXpyiqYvZ7',
  phone: '+12025550123',
  email: null,
  name: 'Ada',
  dnd: false,
  tags: [],
  custom_fields: {},
  created_at: '2026-03-01T09:30:00.000Z',
}

const MESSAGE_EXAMPLE: GhlMessage = {
  id: 'u5jTxB1bpwLNpnnzRnTc',
  conversation_id: CONTACT_EXAMPLE.conversation_id,
  contact_id: CONTACT_EXAMPLE.id,
  direction: 'outbound',
  type: 'SMS',
  text: 'Your appointment is at 3 pm.',
  attachments: [],
  source: 'app',
  status: 'delivered',
  error: null,
  created_at: '2026-03-01T09:30:00.000Z',
}
const ofSandbox = { reach: 'account', origin: 'ours' } as const

export const sandboxContract = {
  listSandboxGhlConversations: operation({
    ...ofSandbox,
    id: 'listSandboxGhlConversations',
    effects: [],
    method: 'GET',
    path: '/v1/sandbox/ghl/conversations',
    summary: 'List conversations of the simulated GoHighLevel',
    description: 'The conversations in the locations of this account at the simulated GoHighLevel, newest first.',
    scope: 'instances:read',
    query: Type.Object({
      phone: Type.Optional(Type.String({ maxLength: 20, description: 'Only those of this number: digits.' })),
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
    }),
    reply: { status: 200, description: 'A page of conversations.', schema: List(GhlConversation) },
    errors: ['invalid_cursor'],
    examples: {
      reply: {
        data: [
          {
            id: CONTACT_EXAMPLE.conversation_id,
            location_id: LOCATION,
            contact_id: CONTACT_EXAMPLE.id,
            phone: CONTACT_EXAMPLE.phone,
            name: CONTACT_EXAMPLE.name,
            dnd: false,
            unread: 0,
            last_message: MESSAGE_EXAMPLE.text,
            last_message_at: MESSAGE_EXAMPLE.created_at,
          },
        ],
        next_cursor: null,
        has_more: false,
      },
    },
    tool: {
      name: 'list_sandbox_ghl_conversations',
      title: 'List conversations of the simulated GoHighLevel',
      idempotent: true,
      onRequest: true,
      untrusted: true,
    },
  }),

  listSandboxGhlMessages: operation({
    ...ofSandbox,
    id: 'listSandboxGhlMessages',
    effects: [],
    method: 'GET',
    path: '/v1/sandbox/ghl/conversations/{id}/messages',
    summary: 'List messages of a simulated conversation',
    description: 'The messages of a conversation at the simulated GoHighLevel, newest first, with their status there.',
    scope: 'instances:read',
    query: Type.Object({
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
    }),
    reply: { status: 200, description: 'A page of messages.', schema: List(GhlMessage) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [MESSAGE_EXAMPLE], next_cursor: null, has_more: false } },
    tool: {
      name: 'list_sandbox_ghl_messages',
      title: 'List messages of a simulated conversation',
      idempotent: true,
      onRequest: true,
      untrusted: true,
    },
  }),

  writeSandboxGhlMessage: operation({
    ...ofSandbox,
    id: 'writeSandboxGhlMessage',
    effects: ['people'],
    method: 'POST',
    path: '/v1/sandbox/ghl/conversations/{id}/messages',
    summary: 'Write as a user of the simulated GoHighLevel',
    description:
      'Writes to the contact as a user of the CRM would. The simulator posts it, signed, to this service, which sends it from the connected instance.',
    scope: 'instances:write',
    body: GhlMessageBody,
    reply: { status: 201, description: 'Written; its status changes as it is sent.', schema: GhlMessage },
    errors: ['invalid_state'],
    examples: { body: { text: MESSAGE_EXAMPLE.text }, reply: { ...MESSAGE_EXAMPLE, status: 'pending' } },
    tool: {
      name: 'write_sandbox_ghl_message',
      title: 'Write as a user of the simulated GoHighLevel',
      idempotent: false,
      onRequest: true,
    },
  }),

  createSandboxGhlContact: operation({
    ...ofSandbox,
    id: 'createSandboxGhlContact',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/ghl/contacts',
    summary: 'Add a contact to the simulated GoHighLevel',
    description:
      'Adds a contact with a conversation, as a user of the CRM would. Without `phone` nothing can be sent to it. A number that a contact has already answers 200 with that contact.',
    scope: 'instances:write',
    body: GhlContactBody,
    reply: {
      status: 201,
      description: 'The contact.',
      also: { status: 200, description: 'The contact that has the number.' },
      schema: GhlContact,
    },
    errors: ['not_found'],
    examples: { body: { phone: '+12025550123', name: 'Ada' }, reply: CONTACT_EXAMPLE },
    tool: {
      name: 'create_sandbox_ghl_contact',
      title: 'Add a contact to the simulated GoHighLevel',
      idempotent: true,
      onRequest: true,
    },
  }),

  updateSandboxGhlContact: operation({
    ...ofSandbox,
    id: 'updateSandboxGhlContact',
    effects: ['people_later'],
    method: 'PATCH',
    path: '/v1/sandbox/ghl/contacts/{id}',
    summary: 'Set DND of a simulated contact',
    description: 'Sets or lifts “do not disturb”, as a user of the CRM would. The simulator reports it, signed.',
    scope: 'instances:write',
    body: Body({ dnd: Type.Optional(Type.Boolean()) }),
    reply: { status: 200, description: 'The contact.', schema: GhlContact },
    errors: [],
    examples: { body: { dnd: true }, reply: { ...CONTACT_EXAMPLE, dnd: true } },
    tool: {
      name: 'update_sandbox_ghl_contact',
      title: 'Set DND of a simulated contact',
      idempotent: true,
      onRequest: true,
    },
  }),

  causeSandboxGhlFault: operation({
    ...ofSandbox,
    id: 'causeSandboxGhlFault',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/ghl/faults',
    summary: 'Make the simulated GoHighLevel misbehave',
    description:
      '`duplicate_delivery`: what its users write is posted twice. `rate_limited`: calls are answered 429. `down`: connections are reset. `bad_signature`: deliveries carry a wrong signature, and are repeated until one is right. `status_too_early`: a status is refused with 403, as happens while GoHighLevel still processes the message. `status_too_early_401`: the same with 401. `forbidden`: adding a message is refused with 403. `inbound_500`: adding a message fails with 500. `upsert_422`: a contact is created, but the answer is 422. `location_inactive`: renewing a token is refused because the location is unpaid.',
    scope: 'instances:write',
    body: Body({
      kind: Type.Enum([...GHL_FAULTS]),
      times: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 10_000, default: 1, description: 'How many calls or deliveries.' }),
      ),
    }),
    reply: {
      status: 200,
      description: 'It will misbehave.',
      schema: Type.Object({ kind: Type.Enum([...GHL_FAULTS]), times: Type.Integer() }),
    },
    errors: [],
    examples: { body: { kind: 'rate_limited', times: 5 }, reply: { kind: 'rate_limited', times: 5 } },
    tool: {
      name: 'cause_sandbox_ghl_fault',
      title: 'Make the simulated GoHighLevel misbehave',
      idempotent: false,
      onRequest: true,
    },
  }),
} as const satisfies Contract
