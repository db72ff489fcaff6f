import { isDeepStrictEqual } from 'node:util'
import type { Answered } from './exchange.ts'
import type { Recipe } from './recipes.ts'
import { wording, type Body } from './words.ts'

/** What Prism says is wrong, in its header sl-violations. */
export interface Violation {
  readonly location: readonly string[]
  readonly code: string | number
  readonly message: string
}

const HEADERS = ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining']
/** A request that keeps to its schema can still name what does not exist, is of another engine, or cannot be reached. */
const OF_THE_SCHEMA = new Set(['validation_error', 'invalid_json'])
/** The sandbox answers with these on purpose: numbers and faults that misbehave. */
const ON_PURPOSE = new Set(['upstream_unavailable', 'upstream_timeout'])

interface ErrorBody {
  readonly error: { code: string; message: string; request_id: string; retryable: boolean }
}

/** Rules that hold for every answer, whether Prism stood between or not. @returns what is broken. */
export function brokenAnywhere({ operation, body }: Recipe, { status, headers, text }: Answered): string[] {
  const broken = HEADERS.filter((name) => headers[name] === undefined).map((name) => `no header ${name}`)
  if (status >= 400) broken.push(...brokenError(status, headers, text, isRecord(body) && body['network'] === 'live'))
  if (status < 300 && operation.body === undefined && operation.fileTypes.length === 0 && body !== undefined)
    broken.push(`${status} to a body where the document has none`)
  return broken
}

function brokenError(status: number, headers: Answered['headers'], text: string, isLive: boolean): string[] {
  const { error } = parsed(text) as Partial<ErrorBody>
  if (error === undefined) return [`an error without its shape: ${text.slice(0, 200)}`]
  const broken: string[] = []
  if (Object.keys(error).sort().join() !== 'code,message,request_id,retryable') broken.push('other fields in error')
  if (error.request_id !== headers['x-request-id']) broken.push('request_id is not X-Request-Id')
  const mayRepeat = status === 429 || status >= 500 || error.code === 'idempotency_in_progress'
  if (error.retryable !== mayRepeat) broken.push(`retryable is ${String(error.retryable)} on ${status} ${error.code}`)
  // Live engines are not in this build, which is what it says.
  const isExpected = ON_PURPOSE.has(error.code) || (isLive && error.code === 'service_unavailable')
  if (status >= 500 && !isExpected) broken.push(`${status} ${error.code}: ${error.message}`)
  return broken
}

export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Rules about a request and its answer, with Prism as the judge of both. */
export function brokenByPrism(
  recipe: Recipe,
  answer: Answered,
  violations: readonly Violation[],
  thing: Body,
): string[] {
  const broken = violations
    .filter(({ location }) => location[0] === 'response')
    .map(({ location, message }) => `undocumented answer: ${location.join('.')} ${message}`)
  const forbidden = violations.filter(
    // Where the body decides, anything but `true` is no confirmation, and that is no mistake.
    ({ location }) =>
      location[0] === 'request' && !(recipe.operation.id === 'disconnectInstance' && location[2] === 'confirm'),
  )
  const words = wording(recipe, thing)
  if (answer.status < 300 && (forbidden.length > 0 || words === 'forbidden')) {
    const why = forbidden.map(({ location, message }) => `${location.join('.')} ${message}`).join('; ')
    broken.push(`${answer.status} to a request that the document forbids: ${why || 'in words'}`)
  }
  const code = (parsed(answer.text) as Partial<ErrorBody>).error?.code ?? ''
  if (answer.status === 400 && OF_THE_SCHEMA.has(code) && forbidden.length === 0 && words === 'allowed')
    broken.push(`400 to a request that the document allows: ${answer.text}`)
  return broken
}

/** How often a fault strikes is the sandbox's to say: some happen once, whatever was asked for. */
const DECIDED_ELSEWHERE = new Set(['times'])

/** Fields of a body and of what was kept that have the same name but another value. */
export function differing(body: unknown, kept: unknown): string[] {
  if (!isRecord(body) || !isRecord(kept)) return []
  return Object.keys(body)
    .filter((field) => field in kept && !DECIDED_ELSEWHERE.has(field) && !isKept(asSent(body[field]), kept[field]))
    .map((field) => `${field} was ${JSON.stringify(body[field])} and is ${JSON.stringify(kept[field])}`)
}

/** Fields of a record that were not sent keep what they had. */
const isKept = (sent: unknown, kept: unknown): boolean =>
  isRecord(sent) && isRecord(kept)
    ? Object.entries(sent).every(([field, value]) => isKept(value, kept[field]))
    : isDeepStrictEqual(sent, kept)

/** Generated objects have no prototype, read ones have. */
const asSent = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
