import { createRequire } from 'node:module'
import { expect } from 'vitest'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'
import { ERROR_REASONS } from '../../main/contract/error-reasons.ts'
import { ERRORS } from '../../main/contract/errors.ts'
import type { Operation } from '../../main/contract/operation.ts'
import { isUuid } from '../../main/contract/request.ts'
import { buildOpenApi, operationFor } from '../../main/faces/openapi.ts'
import { allAtOnce } from '../../main/kernel/steps.ts'
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

const document = allAtOnce(buildOpenApi({ contracts: CONTRACTS, version: '0.0.0', baseUrl: 'http://127.0.0.1' }))
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
const schemas = closed(document.components.schemas) as Readonly<Record<string, object>>

/**
 * What the document promises of this answer, with every field that it does not name forbidden. Answers of one shape, such
 * as errors, share a judge, and it is given only the schemas it needs: each one given is compiled again.
 */
function judgeOf(status: number, content: object | undefined): Judge {
  const shape = `${status} ${JSON.stringify(content)}`
  const known = judges.get(shape)
  if (known !== undefined) return known
  const responses = { [status]: { content: closed(content) } }
  const components = { schemas: Object.fromEntries(schemasNamedIn(shape)) }
  const made = new ResponseValidator({ responses, components, customFormats: FORMATS })
  judges.set(shape, made)
  return made
}

/** The schemas that it refers to, and those that these refer to. */
function schemasNamedIn(text: string, found = new Map<string, object>()): Map<string, object> {
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    const schema = schemas[name]
    if (schema === undefined || found.has(name)) continue
    found.set(name, schema)
    schemasNamedIn(JSON.stringify(schema), found)
  }
  return found
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
  const fault = judgeOf(heard.status, response?.content).validateResponse(heard.status, structuredClone(body))
  expect(fault, said).toBeUndefined()
  if (operation.noStore === true && heard.status < 400) expect(heard.headers['cache-control'], said).toBe('no-store')
  if (heard.status === 204) expect(heard.text, said).toBe('')
}

function holdToHeaders(said: string, { status, headers }: Heard): void {
  const missing = ANSWER_HEADERS.filter((name) => !(name in headers))
  const foreign = Object.keys(headers).filter((name) => NEVER_ANSWERED.test(name))
  const [limit, remaining] = [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]
  holdAll(said, {
    'every header is there': missing.length === 0,
    'no header that helps an attacker': foreign.length === 0,
    'X-RateLimit-Limit is a count': /^[1-9]\d*$/.test(String(limit)),
    'X-RateLimit-Remaining is a count below it': /^\d+$/.test(String(remaining)) && Number(remaining) <= Number(limit),
    'X-Request-Id is one': /^[A-Za-z0-9._:-]{1,128}$/.test(headers['x-request-id'] ?? ''),
    '401 names the proof it wants':
      status !== 401 || headers['www-authenticate']?.split(' ')[0] === proofAskedFor(said),
    '405 names the methods': status !== 405 || /^[A-Z]+(, [A-Z]+)*$/.test(headers['allow'] ?? ''),
    '429 says when to come back': status !== 429 || Number(headers['retry-after']) >= 1,
  })
}

const NEVER_ANSWERED = /^(access-control-.*|server|x-powered-by|x-ratelimit-reset)$/

/** One assertion for many conditions: an assertion costs more than the condition, and every answer comes by here. */
function holdAll(said: string, conditions: Readonly<Record<string, boolean>>): void {
  const broken = Object.keys(conditions).filter((name) => conditions[name] === false)
  if (broken.length > 0) expect.fail(`${said}\nis not so: ${broken.join('; ')}`)
}

/** What an answer 401 wants to see, by where it was given. */
function proofAskedFor(said: string): string {
  const [, place = ''] = /^\w+ \/(panel|callbacks(?=\/(?:meta|stripe)))\//.exec(said) ?? []
  return { panel: 'Session', callbacks: 'Signature' }[place] ?? 'Bearer'
}

function holdToErrorShape(said: string, { status, headers }: Heard, body: unknown): void {
  // MCP answers in the words of JSON-RPC; its own tests judge them.
  if (typeof body === 'object' && body !== null && 'jsonrpc' in body) return
  const { error = {}, ...more } = body as { error?: Record<string, unknown> }
  const known: Partial<Record<string, { readonly status: number }>> = ERRORS
  const message = String(error['message'])
  const { detail } = error
  const fields = Object.keys(error).filter((name) => name !== 'detail')
  holdAll(said, {
    'it is an error and nothing else': Object.keys(more).length === 0,
    'it has the fields of an error': fields.toSorted().join() === 'code,message,request_id,retryable',
    // Only the console is told why, so that its window can say it in its own words.
    'its reason is one, and only for the console': detail === undefined || (isOfConsole(said) && isReason(detail)),
    'its code is known, with this status': known[String(error['code'])]?.status === status,
    // Written down a second time: the product's own function must not be its own judge.
    'it is retryable if it may pass': error['retryable'] === (status === 429 || status >= 500),
    'it names the request': error['request_id'] === headers['x-request-id'],
    // A sentence for a person, and nothing of the inside: no stack, no path, no name of a table or class.
    'its message is a sentence': /\S[.)…]$/.test(message),
    'its message shows nothing of the inside':
      !/node_modules|\bat .+:\d+:\d+|\/main\/|\.ts\b|SQLITE|[A-Z]\w+Error\b|FST_/.test(message),
  })
}

const isOfConsole = (said: string): boolean => /^\w+ \/panel\//.test(said)

function isReason(detail: unknown): boolean {
  const { reason, params } = detail as { reason: string; params: Record<string, unknown> }
  const names: Partial<Record<string, readonly string[]>> = ERROR_REASONS
  return names[reason]?.toSorted().join() === Object.keys(params).sort().join()
}
