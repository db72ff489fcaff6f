import { Type, type Static } from 'typebox'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { SandboxMessage, SPEECH, SpokenMessage } from '../../../contract/sandbox.ts'
import { Body } from '../../../contract/shapes.ts'
import { MESSAGE_EXAMPLE, SPOKEN_EXAMPLE } from './parts.ts'

const SpeechBody = Body(SPEECH, { description: '`to` and exactly one of `text`, `media_type` and `content`.' })
export type SpeechBody = Static<typeof SpeechBody>

export const messagesContract = {
  speakFromSandboxPhone: operation({
    id: 'speakFromSandboxPhone',
    // A word like STOP opts the number out.
    effects: ['people_later', 'simulated_people'],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/messages',
    summary: 'Send a message from a sandbox phone',
    description:
      'Sends a message from this phone to a number. Every instance with that number receives it (`message.received`), ' +
      'disconnected ones when they reconnect. Instances paired with the sending phone receive it too, with ' +
      '`from_me: true`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: SpeechBody,
    reply: { status: 201, description: 'The message, and the instances that receive it.', schema: SpokenMessage },
    errors: [],
    examples: {
      body: { to: '12025550100', text: 'Thank you!' },
      reply: { ...SPOKEN_EXAMPLE, instance_ids: [MESSAGE_EXAMPLE.instance_id] },
    },
    tool: {
      name: 'send_from_sandbox_phone',
      title: 'Send a message from a sandbox phone',
      idempotent: false,
    },
  }),

  editSandboxMessage: operation({
    id: 'editSandboxMessage',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/messages/{id}/edit',
    summary: 'Edit a message on a sandbox phone',
    description: 'Edits a text message sent from this phone. Instances receive `message.edited`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: Body({ text: Type.String({ minLength: 1, maxLength: LIMITS.textLength, description: 'The new text.' }) }),
    reply: { status: 200, description: 'The updated message.', schema: SandboxMessage },
    errors: ['invalid_state'],
    examples: {
      body: { text: 'Thank you very much!' },
      reply: { ...SPOKEN_EXAMPLE, text: 'Thank you very much!', edited_at: '2026-03-01T09:31:00.000Z' },
    },
    tool: {
      name: 'edit_sandbox_message',
      title: 'Edit a message on a sandbox phone',
      idempotent: true,
    },
  }),

  deleteSandboxMessage: operation({
    id: 'deleteSandboxMessage',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/messages/{id}/delete',
    summary: 'Delete a message on a sandbox phone for everyone',
    description: 'Deletes a message sent from this phone, for everyone. Instances receive `message.deleted`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    reply: { status: 200, description: 'The message, now without text.', schema: SandboxMessage },
    errors: ['invalid_state'],
    examples: { reply: { ...SPOKEN_EXAMPLE, text: null, deleted_at: '2026-03-01T09:31:00.000Z' } },
    tool: {
      name: 'delete_sandbox_message',
      title: 'Delete a message on a sandbox phone for everyone',
      idempotent: false,
    },
  }),

  reactToSandboxMessage: operation({
    id: 'reactToSandboxMessage',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/messages/{id}/react',
    summary: 'React to a message on a sandbox phone',
    description:
      'Reacts to a message in one of this phone’s chats: one an instance sent (by `id` or `message_id`) or one of its own. ' +
      'An empty `emoji` removes the reaction. Instances receive `message.reaction`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: Body({ emoji: Type.String({ maxLength: 32, description: 'The reaction. An empty string removes it.' }) }),
    reply: { status: 200, description: 'The updated message.', schema: SandboxMessage },
    errors: ['invalid_state'],
    examples: {
      body: { emoji: '👍' },
      reply: { ...MESSAGE_EXAMPLE, reactions: [{ from: '12025550123', emoji: '👍' }] },
    },
    tool: {
      name: 'react_to_sandbox_message',
      title: 'React to a message on a sandbox phone',
      idempotent: true,
    },
  }),
} as const satisfies Contract
