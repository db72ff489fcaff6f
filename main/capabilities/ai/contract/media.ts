import { Type, type Static } from 'typebox'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, List, MediaType, Nullable, Timestamp, Uuid } from '../../../contract/shapes.ts'
import * as example from '../../../contract/ai-examples.ts'
import { paging, reads, writes, inWindow } from './parts.ts'

const Media = Type.Object({
  id: Uuid,
  name: Type.String(),
  description: Type.String({ description: 'When the agent should send it.' }),
  media_type: MediaType,
  mime_type: Type.String(),
  filename: Nullable(Type.String()),
  size: Type.Integer(),
  created_at: Timestamp,
})
export type Media = Static<typeof Media>

export const CreateMediaBody = Body({
  name: Type.String({ minLength: 1, maxLength: LIMITS.aiNameLength }),
  description: Type.String({ minLength: 1, maxLength: LIMITS.aiObjectiveLength }),
  media_id: Type.String({ minLength: 1, maxLength: 64, description: 'Of a file uploaded with `POST /v1/media`.' }),
  media_type: MediaType,
})
export type CreateMediaBody = Static<typeof CreateMediaBody>

export const mediaContract = {
  listAgentMedia: operation({
    ...reads,
    ...inWindow,
    id: 'listAgentMedia',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/media',
    summary: 'List the files of an agent',
    description: 'The files that the agent can send, newest first.',
    query: Type.Object(paging),
    reply: { status: 200, description: 'A page of files.', schema: List(Media) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [example.MEDIA], next_cursor: null, has_more: false } },
  }),

  addAgentMedia: operation({
    ...writes,
    ...inWindow,
    id: 'addAgentMedia',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/media',
    summary: 'Give an agent a file',
    description: `Upload the file with \`POST /v1/media\` first. It does not expire while the agent has it. An agent has at most ${LIMITS.aiMedia}.`,
    body: CreateMediaBody,
    reply: { status: 201, description: 'The file.', schema: Media },
    errors: ['not_found', 'invalid_state'],
    examples: {
      body: {
        name: example.MEDIA.name,
        description: example.MEDIA.description,
        media_id: 'fil_01KCW8ZJ4N3Q7V0F5T2B9XEMRD',
        media_type: 'document',
      },
      reply: example.MEDIA,
    },
  }),

  removeAgentMedia: operation({
    ...writes,
    ...inWindow,
    id: 'removeAgentMedia',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/media/{file_id}',
    summary: 'Take a file from an agent',
    description: 'The agent no longer sends it. What was sent stays sent.',
    reply: { status: 204, description: 'Removed.', schema: null },
    errors: [],
    examples: {},
  }),
} as const satisfies Contract
