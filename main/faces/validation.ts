import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { ApiError } from '../contract/errors.ts'
import type { ErrorDetail, ErrorReason } from '../contract/error-reasons.ts'
import { isUuid } from '../contract/request.ts'

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

/** Node parses February 30 as March 2. */
const isDay = (text: string): boolean => new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)

/** Our own formats: ajv-formats accepts `urn:uuid:…` and dates that do not exist. */
const FORMATS = {
  uuid: isUuid,
  'date-time': (text: string) => ISO_TIME.test(text) && !Number.isNaN(Date.parse(text)) && isDay(text.slice(0, 10)),
  uri: (text: string) => URL.canParse(text),
  email: (text: string) => /^[^\s@]+@[^\s@]+$/.test(text),
} as const

const shared = { useDefaults: true, removeAdditional: false, allErrors: false, strict: false, verbose: true } as const

/** Bodies are never coerced: "5" is not 5, null is not "". Query parameters are text, so they must be. */
const checkers = {
  body: new Ajv2020({ ...shared, coerceTypes: false, formats: FORMATS }),
  query: new Ajv2020({ ...shared, coerceTypes: true, formats: FORMATS }),
}

/** Validates a value and fills in defaults. @throws ApiError validation_error naming the field and the rule. */
export interface Check {
  (value: unknown): void
  /** Compiles it, which takes as long as checking a megabyte. */
  prepare(): void
}

/** Validates one part of a request. Compiled on first use, because compiling all of them would slow down the start. */
export function createCheck(part: 'body' | 'query', schema: TSchema): Check {
  let compiled: ValidateFunction | undefined
  const prepare = () => (compiled ??= checkers[part].compile(schema))
  const check = (value: unknown) => {
    const validate = prepare()
    if (validate(value)) return
    const error = deepest(validate.errors ?? [])
    const refusal = new ApiError('validation_error', sentence(error, part))
    refusal.detail = error && detailOf(error)
    throw refusal
  }
  return Object.assign(check, { prepare })
}

/** The deepest failure is the most specific. */
function deepest(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const details = errors.filter((error) => !SUMMARIES.has(error.keyword) && !isNullBranch(error))
  return details.toSorted((a, b) => depth(b) - depth(a))[0] ?? errors[0]
}

/** One sentence for the person who must fix it. */
function sentence(error: ErrorObject | undefined, part: 'body' | 'query'): string {
  if (error === undefined) return `The ${part} does not match the documented shape.`
  const key = error.propertyName === undefined ? '' : `has the key ${quoted(error.propertyName)}, which `
  return `${fieldName(error, part)} ${key}${rule(error)}.`
}

/** Keywords that only report that a nested schema failed; that failure is reported too. */
const SUMMARIES: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'propertyNames'])

/** For a nullable field, the useful failure is the one of the other branch. */
function isNullBranch(error: ErrorObject): boolean {
  return error.keyword === 'type' && error.params['type'] === 'null'
}

function depth(error: ErrorObject): number {
  return error.instancePath.split('/').length
}

function fieldName(error: ErrorObject, part: string): string {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer).join('.')
  return path === '' ? `The ${part}` : shortened(path)
}

const LONGEST_QUOTE = 80

/** Names come from the caller and can be very long. */
const shortened = (name: string) => (name.length <= LONGEST_QUOTE ? name : `${name.slice(0, LONGEST_QUOTE)}…`)
const quoted = (name: unknown) => JSON.stringify(shortened(String(name)))

const unescapePointer = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~')

type Params = Record<string, unknown>

const RULES: Record<string, (params: Params, error: ErrorObject) => string> = {
  type: ({ type }) => `must be ${Array.isArray(type) ? type.join(' or ') : article(String(type))}`,
  required: ({ missingProperty }) => `must have ${String(missingProperty)}`,
  additionalProperties: ({ additionalProperty }) => `has an unknown field ${quoted(additionalProperty)}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).join(', ')}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  minLength: ({ limit }) => `must have at least ${plural(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${plural(limit, 'character')}`,
  minItems: ({ limit }) => `must have at least ${plural(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${plural(limit, 'item')}`,
  minProperties: ({ limit }) => `must have at least ${plural(limit, 'field')}`,
  maxProperties: ({ limit }) => `must have at most ${plural(limit, 'field')}`,
  minimum: ({ limit }) => `must be ${String(limit)} or more`,
  maximum: ({ limit }) => `must be ${String(limit)} or less`,
  uniqueItems: () => 'must not repeat an item',
  format: ({ format }) => `must be ${FORMAT_WORDS[String(format)] ?? `a valid ${String(format)}`}`,
  pattern: (_params, error) => `must be ${describedBy(error)}`,
}

/** The rule as a reason of the console. `type` and `pattern` need no value: a person cannot read them. */
const REASONS: Readonly<Record<string, ErrorReason>> = {
  type: 'field_type',
  required: 'field_required',
  additionalProperties: 'field_unknown',
  enum: 'field_choice',
  const: 'field_choice',
  minLength: 'field_length_min',
  maxLength: 'field_length_max',
  minItems: 'field_items_min',
  maxItems: 'field_items_max',
  minProperties: 'field_items_min',
  maxProperties: 'field_items_max',
  minimum: 'field_min',
  maximum: 'field_max',
  uniqueItems: 'field_repeats',
  pattern: 'field_form',
}

const FORMAT_REASONS: Readonly<Record<string, ErrorReason>> = {
  uuid: 'field_format_id',
  'date-time': 'field_format_date',
  uri: 'field_format_url',
  email: 'field_format_email',
}

function detailOf({ keyword, instancePath, params: given }: ErrorObject): ErrorDetail {
  const params = given as Params
  const missing = keyword === 'required' ? [String(params['missingProperty'])] : []
  const field = [...instancePath.split('/').slice(1).map(unescapePointer), ...missing].join('.')
  // One character at least: it is empty.
  const isEmpty = (keyword === 'minLength' || keyword === 'minItems') && params['limit'] === 1
  const rule = keyword === 'format' ? FORMAT_REASONS[String(params['format'])] : REASONS[keyword]
  const reason = isEmpty ? 'field_empty' : (rule ?? 'field_form')
  const hasLimit = !isEmpty && 'limit' in params
  return { reason, params: { field: shortened(field), ...(hasLimit && { n: Number(params['limit']) }) } }
}

const FORMAT_WORDS: Record<string, string> = {
  uuid: 'a UUID',
  'date-time': 'an ISO 8601 time such as 2026-03-01T09:30:00.000Z',
  uri: 'a URL such as https://example.com/path',
}

function rule(error: ErrorObject): string {
  return RULES[error.keyword]?.(error.params, error) ?? error.message ?? 'is not valid'
}

/** Prefers the description of the schema: a pattern means little to a person. */
function describedBy(error: ErrorObject): string {
  const description: unknown = (error.parentSchema as { description?: unknown } | undefined)?.description
  return typeof description === 'string'
    ? lowerFirst(description.replace(/\.$/, ''))
    : `of the form ${String(error.params['pattern'])}`
}

/** Not of an abbreviation, such as ISO. */
const lowerFirst = (text: string) => (/^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1))
const plural = (count: unknown, noun: string) => `${String(count)} ${noun}${count === 1 ? '' : 's'}`
const article = (noun: string) => (noun === 'null' ? 'null' : `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`)
