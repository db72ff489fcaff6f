import { Type } from 'typebox'
import { stringify } from 'yaml'
import { EFFECT_NAMES, EFFECTS } from '../contract/effects.ts'
import { ERROR_CODES } from '../contract/errors.ts'
import { EventInstance } from '../contract/events.ts'
import type { RoomContract } from '../contract/operation.ts'
import { MessageErrorShape } from '../contract/shapes.ts'
import type { Steps } from '../kernel/steps.ts'
import { createComponents } from './openapi/components.ts'
import type { OpenApiDocument, OperationEntry } from './openapi/document.ts'
import { eventEntries, eventUsages, SIGNED_HEADERS } from './openapi/events.ts'
import { operationEntry, usagesOf } from './openapi/operation.ts'
import { errorExamples, errorResponses, HEADERS } from './openapi/responses.ts'

export { operationFor, type OpenApiDocument } from './openapi/document.ts'

/** Body of every error (spec: Errors). */
const ErrorShape = Type.Object({
  error: Type.Object(
    {
      code: Type.Enum([...ERROR_CODES], { description: 'Machine-readable error code.' }),
      message: Type.String({ description: 'What went wrong and what to do, for people. The wording may change.' }),
      request_id: Type.String({ description: 'Equals the X-Request-Id header.' }),
      retryable: Type.Boolean({ description: 'Whether it makes sense to retry: true for 429 and every 5xx.' }),
    },
    { additionalProperties: false },
  ),
})

const KNOWN = { Error: ErrorShape, EventInstance, MessageError: MessageErrorShape }

interface OpenApiDeps {
  readonly contracts: readonly RoomContract[]
  readonly version: string
  /** URL of this service, for example `http://127.0.0.1:4780`. */
  readonly baseUrl: string
}

/** Builds the OpenAPI 3.1 document from the contracts. */
/** In steps, because building the whole document would block the event loop. */
export function* buildOpenApi({ contracts, version, baseUrl }: OpenApiDeps): Steps<OpenApiDocument> {
  const rooms = contracts
    .map(({ room, about, operations }) => ({ room, about, offered: Object.values(operations).filter(isPublic) }))
    .filter(({ offered }) => offered.length > 0)
  const operations = rooms.flatMap(({ offered }) => offered)
  // A GET returns the resource itself, so its name wins.
  const byName = operations.toSorted((a, b) => Number(b.method === 'GET') - Number(a.method === 'GET'))
  const known = Object.values(KNOWN).map((schema) => ({ schema, name: undefined }))
  const components = yield* createComponents(KNOWN, [...known, ...byName.flatMap(usagesOf), ...eventUsages])

  const paths: Record<string, Record<string, OperationEntry>> = {}
  for (const { room, offered } of rooms) {
    for (const operation of offered) {
      yield
      const entry = operationEntry(operation, room, components)
      paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: entry }
    }
  }
  return plain({
    openapi: '3.1.0',
    info: {
      title: 'Switchboard',
      version,
      description: INTRODUCTION,
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: baseUrl, description: 'This service.' }],
    security: [{ ApiKey: [] }],
    tags: [
      ...rooms.map(tagOf),
      ...(rooms.some(({ room }) => room === 'events')
        ? []
        : contracts.filter(({ room }) => room === 'events').map(tagOf)),
    ],
    paths,
    webhooks: eventEntries(components),
    components: {
      securitySchemes: { ApiKey: SECURITY_SCHEME },
      schemas: components.schemas,
      responses: errorResponses(operations),
      examples: errorExamples(operations),
      parameters: SIGNED_HEADERS,
      headers: HEADERS,
    },
  })
}

/** The document as YAML, quoted so that YAML 1.1 parsers read the same strings. */
export function* openApiYaml(document: OpenApiDocument): Steps<string> {
  let text = ''
  for (const part of partsOf(document, 3, '')) {
    text += part
    yield
  }
  return text
}

/** Yields for each section, path, operation and component. */
function* partsOf(values: object, levels: number, indent: string): Generator<string> {
  for (const [key, value] of Object.entries(values) as [string, unknown][]) {
    const isWritten = levels === 1 || typeof value !== 'object' || value === null || Array.isArray(value)
    if (isWritten || Object.keys(value).length === 0) yield indented(yamlOf({ [key]: value }), indent)
    else {
      yield indented(yamlOf({ [key]: null }).replace(/ null\n$/, '\n'), indent)
      yield* partsOf(value, levels - 1, `${indent}  `)
    }
  }
}

const yamlOf = (value: object): string =>
  stringify(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 0 })

const indented = (yaml: string, indent: string): string => yaml.replaceAll(/^(?=.)/gm, indent)

const isPublic = ({ audience }: { audience?: 'console' }) => audience !== 'console'

/** A deep copy without undefined fields and TypeBox's hidden fields. */
const plain = (document: OpenApiDocument) => JSON.parse(JSON.stringify(document)) as OpenApiDocument

const SECURITY_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  description:
    'An API key: `Authorization: Bearer swb_…`. Each operation states the scope it requires. A key can be restricted to certain instances. Never use a key in a browser.',
}

const ASKS_UNDER = {
  always: 'every key',
  destructive: '`destructive`, `sending`',
  sending: '`sending`',
} as const

const EFFECT_ROWS = EFFECT_NAMES.map((name) => {
  const { about, asksUnder, closedWhenSuspended, closedWhenFrozen } = EFFECTS[name]
  const state = (isClosed: boolean) => (isClosed ? 'refused' : 'open')
  return `| \`${name}\` | ${about} | ${state(closedWhenSuspended)} | ${state(closedWhenFrozen)} | ${ASKS_UNDER[asksUnder]} |`
}).join('\n')

const INTRODUCTION = `Connects messaging accounts ("instances") and sends, tracks and receives messages through them, the same way on both engines.

- Every request needs an API key. Every response includes \`X-Request-Id\`, \`X-RateLimit-Limit\` and \`X-RateLimit-Remaining\`.
- All errors have the same shape, \`{"error": {code, message, request_id, retryable}}\`. \`retryable\` is true for 429 and every 5xx.
- Irreversible operations need \`confirm=true\` in the query. Without it they return 400 \`confirmation_required\` and do nothing.
- Times are ISO 8601 in UTC with milliseconds. Lists are newest first; cursors are opaque. A page of very long rows has fewer than \`limit\`: \`has_more\` says whether more follow.
- Unknown body fields are rejected; unknown query parameters are ignored.
- Answers and events can gain fields, and fields such as \`end_reason\` can gain values, without a new version of the API: ignore what you do not know.
- AI assistants can use the same operations as tools over MCP (Streamable HTTP) at \`/mcp\`, with the same key.
- Events are sent to your webhooks as they happen: see the webhooks section.

Operations with \`x-origin: spec\` come from the management API specification; those with \`x-origin: ours\` are additions.

\`x-effects\` says what a call can do at most, besides changing records of its account; with \`x-effects-by-argument\` the values of its arguments decide. An empty list reaches nobody.

| Effect | The call … | Suspended account | Frozen account | An assistant asks under |
|---|---|---|---|---|
${EFFECT_ROWS}

Suspended accounts are refused with 403 \`account_suspended\`, frozen ones with 409 \`invalid_state\`.`

/** @throws Error if a room with public operations does not say what it is about. */
function tagOf({ room, about }: { readonly room: string; readonly about?: string | undefined }): {
  name: string
  description: string
} {
  if (about === undefined) throw new Error(`contracts.ts has no description of the room ${room}.`)
  return { name: room, description: about }
}
