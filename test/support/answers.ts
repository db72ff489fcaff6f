import { createRequire } from 'node:module'
import { expect } from 'vitest'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'
import { ERRORS, type ErrorCode } from '../../main/contract/errors.ts'
import type { Operation } from '../../main/contract/operation.ts'
import { isUuid } from '../../main/contract/request.ts'
import { buildOpenApi, operationFor } from '../../main/faces/openapi.ts'
import { ANSWER_HEADERS } from '../spec/tables.ts'

/** An answer as it came. */
export interface Heard {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

interface Judge {
  validateResponse(status: number, body: unknown): { errors: { path: string; message: string }[] } | undefined
}

/** A CommonJS package: imported, its class would arrive one `default` deeper in some loaders than in others. */
const { default: ResponseValidator } = createRequire(import.meta.url)('openapi-response-validator') as {
  default: new (parts: object) => Judge
}

const document = buildOpenApi({ contracts: CONTRACTS, version: '0.0.0', baseUrl: 'http://127.0.0.1' })
const operations: readonly Operation[] = CONTRACTS.flatMap((room) => Object.values(room.operations))

const filesOf = operations
  .filter(({ bodyFile }) => bodyFile !== undefined)
  .map(({ method, path, bodyFile }) => ({
    method,
    path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    bodyFile,
  }))

/** What a body of this request is, unless the test says otherwise. @param path without `/panel`. */
export const bodyTypeOf = (method: string, path: string): string =>
  filesOf.find((one) => one.method === method && one.path.test(path.split('?')[0] ?? ''))?.bodyFile?.types[0] ??
  'application/json'

const FORMATS = {
  uuid: isUuid,
  uri: (text: string) => URL.canParse(text),
  // Times on the wire are UTC with milliseconds, which is less than the format allows.
  'date-time': (text: string) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(text),
}

const judges = new Map<string, Judge>()

/** What the document promises of an operation, with every field that it does not name forbidden. */
function judgeOf(operationId: string, responses: object): Judge {
  const known = judges.get(operationId)
  if (known !== undefined) return known
  const { schemas, headers, examples } = closed(document.components) as Record<string, object>
  const parts = { responses: closed(responses), components: { schemas, headers, examples }, customFormats: FORMATS }
  const made = new ResponseValidator(parts)
  judges.set(operationId, made)
  return made
}

function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value)]))
  const isOpen = copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy)
  return isOpen ? { ...copy, additionalProperties: false } : copy
}

/**
 * Fails unless the answer is one the product may give: the headers of every answer, the one shape of errors, and for a
 * documented operation a documented status with a body that fits, and no field beyond.
 */
export function holdToDocument(method: string, path: string, heard: Heard): void {
  const said = `${method} ${path} → ${heard.status} ${heard.text.slice(0, 400)}`
  holdToHeaders(said, heard)
  const found = operationFor(document, method, path)
  const operation = operations.find(({ id }) => id === found?.operation.operationId)
  const isJson = heard.headers['content-type']?.startsWith('application/json') === true
  const body: unknown = heard.text !== '' && isJson && method !== 'HEAD' ? JSON.parse(heard.text) : undefined
  if (heard.status >= 400 && isJson && method !== 'HEAD') holdToErrorShape(said, heard, body)
  if (found === undefined || operation === undefined) return

  const response = found.operation.responses[heard.status]
  expect(response, `${said}: the document has no such status`).toBeDefined()
  if (heard.status >= 400) {
    const { code } = (body as { error: { code: string } }).error
    expect(response?.['x-error-codes'], `${said}: the document has no such code`).toContain(code)
  }
  // Bytes have no shape; their own tests look at them.
  if (operation.reply.file === true && heard.status < 400) return
  if (operation.reply.csv !== undefined && heard.headers['content-type']?.startsWith('text/csv') === true) return
  // The validator fills in defaults, so it gets a copy.
  const fault = judgeOf(operation.id, found.operation.responses).validateResponse(heard.status, structuredClone(body))
  expect(fault, said).toBeUndefined()
  if (operation.noStore === true && heard.status < 400) expect(heard.headers['cache-control'], said).toBe('no-store')
  if (heard.status === 204) expect(heard.text, said).toBe('')
}

function holdToHeaders(said: string, { status, headers }: Heard): void {
  for (const name of ANSWER_HEADERS) expect(headers, said).toHaveProperty(name)
  const [limit, remaining] = [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]
  expect(String(limit), said).toMatch(/^[1-9]\d*$/)
  expect(String(remaining), said).toMatch(/^\d+$/)
  expect(Number(remaining), said).toBeLessThanOrEqual(Number(limit))
  expect(headers['x-request-id'], said).toMatch(/^[A-Za-z0-9._:-]{1,128}$/)
  expect(
    Object.keys(headers).filter((name) => name.startsWith('access-control-')),
    said,
  ).toEqual([])
  expect(headers, said).not.toHaveProperty('server')
  expect(headers, said).not.toHaveProperty('x-powered-by')
  expect(headers, said).not.toHaveProperty('x-ratelimit-reset')
  if (status === 401) expect(headers['www-authenticate']?.split(' ')[0], said).toBe(proofAskedFor(said))
  if (status === 405) expect(headers['allow'], said).toMatch(/^[A-Z]+(, [A-Z]+)*$/)
  if (status === 429) expect(Number(headers['retry-after']), said).toBeGreaterThanOrEqual(1)
}

/** What an answer 401 wants to see, by where it was given. */
function proofAskedFor(said: string): string {
  const [, place = ''] = /^\w+ \/(panel|callbacks(?=\/(?:meta|stripe)))\//.exec(said) ?? []
  return { panel: 'Session', callbacks: 'Signature' }[place] ?? 'Bearer'
}

function holdToErrorShape(said: string, { status, headers }: Heard, body: unknown): void {
  // MCP answers in the words of JSON-RPC; its own tests judge them.
  if (typeof body === 'object' && body !== null && 'jsonrpc' in body) return
  const { error } = body as { error: Record<string, unknown> }
  expect(Object.keys(body as object), said).toEqual(['error'])
  expect(Object.keys(error).sort(), said).toEqual(['code', 'message', 'request_id', 'retryable'])
  expect(Object.keys(ERRORS), said).toContain(error['code'])
  const code = error['code'] as ErrorCode
  expect(status, said).toBe(ERRORS[code].status)
  // Written down a second time: the product's own function must not be its own judge.
  expect(error['retryable'], said).toBe(status === 429 || status >= 500)
  expect(error['request_id'], said).toBe(headers['x-request-id'])
  // A sentence for a person, and nothing of the inside: no stack, no path, no name of a table or class.
  expect(error['message'], said).toMatch(/\S[.)…]$/)
  expect(error['message'], said).not.toMatch(/node_modules|\bat .+:\d+:\d+|\/main\/|\.ts\b|SQLITE|[A-Z]\w+Error\b|FST_/)
}
