import { LIMITS } from '../../contract/limits.ts'
import type { Operation, AccessLevel } from '../../contract/operation.ts'
import { fieldsOf, plainSchema, type JsonSchema } from '../json-schema.ts'
import { pathParams } from '../path-params.ts'
import type { Components, Usage } from './components.ts'
import { pascal } from './components.ts'
import type { OperationEntry, ResponseEntry } from './document.ts'
import { errorReferences, successHeaders } from './responses.ts'

/** The schemas of an operation under the names they would have as components. */
export function usagesOf(operation: Operation): Usage[] {
  const { id, body, reply } = operation
  return [
    ...(reply.schema === null ? [] : [{ schema: reply.schema, name: replyName(id) }]),
    ...(body === undefined ? [] : [{ schema: body, name: `${pascal(id)}Body` }]),
  ]
}

/** `getInstance` answers with an Instance, `listInstances` with an InstanceList. */
function replyName(id: string): string {
  const [, verb = '', noun = ''] = /^([a-z]+)([A-Z]\w*)?$/.exec(id) ?? []
  if (noun === '') return `${pascal(id)}Reply`
  return verb === 'list' ? `${noun.replace(/ies$/, 'y').replace(/s$/, '')}List` : noun
}

/** An operation as the document shows it. */
export function operationEntry(operation: Operation, room: string, { refer }: Components): OperationEntry {
  const { id, summary, scope, origin, body, reply, examples } = operation
  const success = (description: string): ResponseEntry => ({
    description,
    headers: successHeaders(operation),
    ...(reply.schema !== null && {
      content:
        reply.file === true
          ? { '*/*': { schema: refer(reply.schema) } }
          : { 'application/json': { schema: refer(reply.schema), ...example(examples.reply) } },
    }),
  })
  return {
    operationId: id,
    summary,
    description: describe(operation),
    tags: [room],
    'x-origin': origin,
    security: [{ ApiKey: scope === null ? [] : [scope] }],
    parameters: parameters(operation),
    ...(body !== undefined && {
      requestBody: {
        required: operation.bodyOptional !== true,
        content: { 'application/json': { schema: refer(body), ...example(examples.body) } },
      },
    }),
    responses: {
      [reply.status]: success(reply.description),
      ...(reply.also !== undefined && { [reply.also.status]: success(reply.also.description) }),
      ...errorReferences(operation),
    },
  }
}

const example = (value: unknown) => (value === undefined ? {} : { example: value })

function parameters(operation: Operation): unknown[] {
  const query = operation.query === undefined ? undefined : fieldsOf(plainSchema(operation.query))
  return [
    ...pathParams(operation).map(({ name, description, example: value }) => ({
      name,
      in: 'path',
      required: true,
      description,
      schema: { type: 'string' },
      example: value,
    })),
    ...Object.entries(query?.properties ?? {}).map(([name, schema]) =>
      queryParameter(name, schema, query?.required.includes(name) === true),
    ),
    ...(operation.confirm === undefined ? [] : [confirmParameter(operation.confirm === 'always')]),
    ...(operation.idempotencyKey === true ? [IDEMPOTENCY_KEY] : []),
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
    ? 'Says that the caller means it: without `true` nothing is done.'
    : 'Needed when the body asks for what cannot be undone.',
  schema: { type: 'boolean', ...(always && { enum: [true] }) },
})

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `Your own name for this act. Repeating the request with the same key within ${LIMITS.idempotencyHours} hours does not act again: it answers what the first one answered.`,
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyLength },
  example: 'order-1042',
}

/** The description with what the contract's data says, in words. */
function describe(operation: Operation): string {
  const { scope, confirm, noStore, engine, idempotencyKey, tool } = operation
  return [
    operation.description,
    scope === null ? 'Scope: none; any valid key may call it.' : `Scope: \`${scope}\`.`,
    WHO_MAY[operation.reach],
    engine !== undefined &&
      `Only for instances on the engine \`${engine}\`; any other answers 400 \`engine_mismatch\`.`,
    confirm === 'always' &&
      'Irreversible: without `confirm=true` it answers 400 `confirmation_required` and does nothing.',
    confirm === 'by-body' &&
      'What cannot be undone needs `confirm=true`; without it the answer is 400 `confirmation_required` and nothing is done.',
    idempotencyKey === true &&
      `Takes an \`Idempotency-Key\` (${operation.reach === 'instance' ? 'unique in the instance' : 'unique in the account'}, valid ${LIMITS.idempotencyHours} hours): a repeat answers the same, with \`Idempotent-Replayed: true\`; another body under the same key is 409 \`idempotency_conflict\`.`,
    noStore === true && 'The answer holds a credential and is sent with `Cache-Control: no-store`.',
    tool !== null && `Over MCP it is the tool \`${tool.name}\`.`,
  ]
    .filter((paragraph) => typeof paragraph === 'string')
    .join('\n\n')
}

const WHO_MAY: Readonly<Record<AccessLevel, string>> = {
  key: 'Any key, also one that is restricted to certain instances.',
  instance:
    'A key that is restricted to certain instances may call it for those; any other instance is 404 `not_found`, like an unknown one.',
  instances: 'A key that is restricted to certain instances sees and reaches only those.',
  account: 'It concerns the whole account: a key that is restricted to certain instances gets 403 `key_restricted`.',
  webhooks:
    'It concerns the whole account: a key that is restricted to certain instances gets 403 `instance_restricted_key`.',
}
