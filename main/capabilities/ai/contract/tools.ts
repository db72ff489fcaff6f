import { Type, type Static } from 'typebox'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, List, Nullable, Timestamp, Uuid } from '../../../contract/shapes.ts'
import * as example from '../../../contract/ai-examples.ts'
import { paging, reads, writes, inWindow } from './parts.ts'

const ToolName = Type.String({
  pattern: '^[a-z][a-z0-9_]{1,47}$',
  description: 'Lower-case letters, digits and underscores.',
  examples: ['order_status'],
})
const ToolUrl = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description:
    'https and public, unless the range is in `egress.trusted_ranges`. `{name}` stands for a parameter; parameters that ' +
    'do not occur in the URL are sent as query of a GET, else as JSON.',
  examples: ['https://shop.example.com/orders/{order_number}'],
})
const ToolParameters = Type.Array(
  Type.Object(
    {
      name: Type.String({ pattern: '^[a-z][a-z0-9_]{0,47}$' }),
      type: Type.Enum(['string', 'number', 'integer', 'boolean']),
      description: Type.String({ maxLength: 500 }),
      required: Type.Boolean(),
    },
    { additionalProperties: false },
  ),
  { maxItems: 20 },
)
const toolFields = {
  name: ToolName,
  description: Type.String({ minLength: 1, maxLength: LIMITS.aiObjectiveLength }),
  method: Type.Enum(['GET', 'POST', 'PUT', 'DELETE']),
  url: ToolUrl,
  parameters: ToolParameters,
  enabled: Type.Boolean(),
}
const HttpTool = Type.Object({
  id: Uuid,
  ...toolFields,
  secret_header: Nullable(Type.String({ description: 'The header that carries the secret.' })),
  has_secret: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type HttpTool = Static<typeof HttpTool>

const secretFields = {
  secret_header: Type.Optional(Nullable(Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$', examples: ['Authorization'] }))),
  secret: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.aiProviderKeyLength,
        pattern: '^[\\x20-\\x7e]+$',
        description: 'Write-only: the value of the header, such as `Bearer …`. null removes it.',
      }),
    ),
  ),
}
export const CreateHttpToolBody = Body({
  name: toolFields.name,
  description: toolFields.description,
  method: toolFields.method,
  url: toolFields.url,
  parameters: Type.Optional(toolFields.parameters),
  enabled: Type.Optional(toolFields.enabled),
  ...secretFields,
})
export type CreateHttpToolBody = Static<typeof CreateHttpToolBody>
export const UpdateHttpToolBody = Body({
  name: Type.Optional(toolFields.name),
  description: Type.Optional(toolFields.description),
  method: Type.Optional(toolFields.method),
  url: Type.Optional(toolFields.url),
  parameters: Type.Optional(toolFields.parameters),
  enabled: Type.Optional(toolFields.enabled),
  ...secretFields,
})
export type UpdateHttpToolBody = Static<typeof UpdateHttpToolBody>

export const toolsContract = {
  listHttpTools: operation({
    ...reads,
    ...inWindow,
    id: 'listHttpTools',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/http-tools',
    summary: 'List the HTTP tools of an agent',
    description: 'Services that the agent can ask. Newest first.',
    query: Type.Object(paging),
    reply: { status: 200, description: 'A page of tools.', schema: List(HttpTool) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [example.HTTP_TOOL], next_cursor: null, has_more: false } },
  }),

  createHttpTool: operation({
    ...writes,
    ...inWindow,
    id: 'createHttpTool',
    effects: ['destination'],
    method: 'POST',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/http-tools',
    summary: 'Add an HTTP tool',
    description: `The model chooses the parameters, never the address. The secret is stored encrypted, is write-only, and no model sees it. An agent has at most ${LIMITS.aiHttpTools}.`,
    noStore: true,
    body: CreateHttpToolBody,
    reply: { status: 201, description: 'The new tool.', schema: HttpTool },
    errors: ['invalid_url', 'invalid_state', 'sealed'],
    examples: {
      body: {
        name: 'order_status',
        description: example.HTTP_TOOL.description,
        method: 'GET',
        url: example.HTTP_TOOL.url,
        parameters: example.HTTP_TOOL.parameters,
        secret_header: 'Authorization',
        secret: 'Bearer example',
      },
      reply: example.HTTP_TOOL,
    },
  }),

  updateHttpTool: operation({
    ...writes,
    ...inWindow,
    id: 'updateHttpTool',
    effects: ['destination'],
    method: 'PATCH',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/http-tools/{tool_id}',
    summary: 'Change an HTTP tool',
    description: 'Changes the fields that are given. A new host drops the secret, unless a new one is given.',
    noStore: true,
    body: UpdateHttpToolBody,
    reply: { status: 200, description: 'The updated tool.', schema: HttpTool },
    errors: ['invalid_url', 'invalid_state', 'sealed'],
    examples: { body: { enabled: false }, reply: { ...example.HTTP_TOOL, enabled: false } },
  }),

  deleteHttpTool: operation({
    ...writes,
    ...inWindow,
    id: 'deleteHttpTool',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/http-tools/{tool_id}',
    summary: 'Delete an HTTP tool',
    description: 'Deletes the tool with its secret. The agent no longer has it.',
    reply: { status: 204, description: 'Deleted.', schema: null },
    errors: [],
    examples: {},
  }),
} as const satisfies Contract
