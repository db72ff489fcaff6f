import { effectsOf } from '../../contract/effects.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { AccessLevel, FileBodySpec, Operation } from '../../contract/operation.ts'
import { fieldsOf, plainSchema, type JsonSchema } from '../json-schema.ts'
import { pathParams } from '../path-params.ts'
import type { Components, Usage } from './components.ts'
import { pascal } from './components.ts'
import type { OperationEntry, ResponseEntry } from './document.ts'
import { errorReferences, fileResponses, successHeaders } from './responses.ts'

/** The schemas of an operation, with their names as components. */
export function usagesOf(operation: Operation): Usage[] {
  const { id, body, reply } = operation
  return [
    ...(reply.schema === null ? [] : [{ schema: reply.schema, name: replyName(id) }]),
    ...(body === undefined ? [] : [{ schema: body, name: `${pascal(id)}Body` }]),
  ]
}

/** `getInstance` returns an Instance, `listInstances` an InstanceList. */
function replyName(id: string): string {
  const [, verb = '', noun = ''] = /^([a-z]+)([A-Z]\w*)?$/.exec(id) ?? []
  if (noun === '') return `${pascal(id)}Reply`
  return verb === 'list' ? `${noun.replace(/ies$/, 'y').replace(/s$/, '')}List` : noun
}

/** An operation as an OpenAPI entry. */
export function operationEntry(operation: Operation, room: string, { refer }: Components): OperationEntry {
  const { id, summary, scope, origin, effects, body, reply, examples } = operation
  const success = (description: string): ResponseEntry => ({
    description,
    headers: successHeaders(operation),
    ...(reply.schema !== null && {
      content:
        reply.file === true
          ? { '*/*': { schema: refer(reply.schema) } }
          : {
              'application/json': { schema: refer(reply.schema), ...example(examples.reply) },
              ...(reply.csv !== undefined && {
                'text/csv': { schema: { type: 'string' }, example: reply.csv.example },
              }),
            },
    }),
  })
  return {
    operationId: id,
    summary,
    description: describe(operation),
    tags: [room],
    'x-origin': origin,
    'x-effects': effectsOf(operation),
    ...('by' in effects && { 'x-effects-by-argument': effects }),
    security: [{ ApiKey: scope === null ? [] : [scope] }],
    parameters: parameters(operation),
    ...(body !== undefined && {
      requestBody: {
        required: operation.bodyOptional !== true,
        content: { 'application/json': { schema: refer(body), ...example(examples.body) } },
      },
    }),
    ...(operation.bodyFile !== undefined && { requestBody: fileBody(operation.bodyFile) }),
    responses: {
      [reply.status]: success(reply.description),
      ...(reply.file === true &&
        reply.schema !== null &&
        fileResponses(operation, { '*/*': { schema: refer(reply.schema) } })),
      ...(reply.also !== undefined && { [reply.also.status]: success(reply.also.description) }),
      ...errorReferences(operation),
    },
  }
}

const fileBody = ({ types, maxBytes }: FileBodySpec) => ({
  required: true,
  description: `The file, at most ${maxBytes} bytes.`,
  content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
})

const example = (value: unknown) => (value === undefined ? {} : { example: value })

function parameters(operation: Operation): unknown[] {
  const query = operation.query === undefined ? undefined : fieldsOf(plainSchema(operation.query))
  return [
    ...pathParams(operation).map(({ name, description, example: value, pattern }) => ({
      name,
      in: 'path',
      required: true,
      description,
      schema: { type: 'string', ...(pattern !== undefined && { pattern }) },
      example: value,
    })),
    ...Object.entries(query?.properties ?? {}).map(([name, schema]) =>
      queryParameter(name, schema, query?.required.includes(name) === true),
    ),
    ...(operation.confirm === undefined ? [] : [confirmParameter(operation.confirm === 'always')]),
    ...(operation.idempotencyKey === true ? [IDEMPOTENCY_KEY] : []),
    ...(operation.reply.file === true ? FILE_HEADERS : []),
  ]
}

function queryParameter(name: string, schema: JsonSchema, required: boolean): unknown {
  const { description, ...rest } = schema
  return { name, in: 'query', required, ...(description !== undefined && { description }), schema: rest }
}

const confirmParameter = (always: boolean) => ({
  name: 'confirm',
  in: 'query',
  required: always,
  description: always
    ? 'Confirms the call. Without `true` nothing is done.'
    : 'Required if the body requests something that cannot be undone.',
  schema: { type: 'boolean', ...(always && { enum: [true] }) },
})

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `A unique value of your choice. Repeating the request with the same key within ${LIMITS.idempotencyHours} hours has no further effect and returns the first response.`,
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyLength },
  example: 'order-1042',
}

const fileHeader = (name: string, description: string, example: string) => ({
  ...{ name, in: 'header', required: false, description, schema: { type: 'string' }, example },
})

const FILE_HEADERS = [
  fileHeader(
    'Range',
    'A part of the file. Several parts at once are not supported: the response is the whole file.',
    'bytes=0-1023',
  ),
  fileHeader(
    'If-Range',
    'The ETag of the part you have. If the file is another one, the response is the whole file.',
    '"9f86d081"',
  ),
  fileHeader(
    'If-None-Match',
    'The ETag of the file you have. If it is still the same, the response is 304.',
    '"9f86d081"',
  ),
]

/** The description, with scope, restrictions and other facts of the contract spelled out. */
function describe(operation: Operation): string {
  const { scope, confirm, noStore, engine, idempotencyKey, tool } = operation
  return [
    operation.description,
    scope === null ? 'Scope: none. Any valid key may call this operation.' : `Scope: \`${scope}\`.`,
    RESTRICTED_KEYS[operation.reach],
    engine !== undefined && `Only for \`${engine}\` instances; any other returns 400 \`engine_mismatch\`.`,
    confirm === 'always' &&
      'Irreversible. Without `confirm=true` it returns 400 `confirmation_required` and does nothing.',
    confirm === 'by-body' &&
      'If it cannot be undone, it needs `confirm=true`. Without it the response is 400 `confirmation_required` and nothing is done.',
    idempotencyKey === true &&
      `Accepts an \`Idempotency-Key\` (unique within the ${operation.reach === 'instance' ? 'instance' : 'account'}, valid for ${LIMITS.idempotencyHours} hours). A repeat returns the first response with \`Idempotent-Replayed: true\`; the same key with a different body is 409 \`idempotency_conflict\`.`,
    noStore === true && 'The response contains a credential and has `Cache-Control: no-store`.',
    tool !== null && `MCP tool: \`${tool.name}\`.`,
  ]
    .filter((paragraph) => typeof paragraph === 'string')
    .join('\n\n')
}

const RESTRICTED_KEYS: Readonly<Record<AccessLevel, string>> = {
  key: 'Keys restricted to certain instances may call it too.',
  instance:
    'A key restricted to certain instances can access only those; any other instance is 404 `not_found`, like one that does not exist.',
  instances: 'A key restricted to certain instances can access only those.',
  account: 'An account operation: a key restricted to certain instances gets 403 `key_restricted`.',
  webhooks: 'An account operation: a key restricted to certain instances gets 403 `instance_restricted_key`.',
}
