import type { FastifyInstance } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import { excessOf, shapeOfForeign } from '../kernel/foreign-json.ts'
import type { JsonShape } from '../kernel/json-shape.ts'

/** Accepts only JSON bodies. Keeps the raw text, because fingerprints are computed before defaults are filled in. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      const text = decode(bytes as Buffer)
      if (text === '') return done(null, undefined)
      request.rawText = text
      const shape = shapeOfForeign(bytes as Buffer)
      requireModest(shape, request.routeOptions.config.bodyValues ?? LIMITS.bodyValues)
      let outcome: { error: Error | null; value?: unknown } = { error: null }
      // The parser calls back synchronously and would report an error thrown in the callback as invalid JSON.
      void parse(request, text, (error, value: unknown) => void (outcome = { error, value }))
      if (outcome.error !== null) return done(isJson(text) ? invalid(FORBIDDEN_KEY) : outcome.error)
      requireStorable(shape)
      return done(null, outcome.value)
    } catch (error) {
      return done(error as Error)
    }
  })
}

/** Fastify's parser rejects these keys, but with the same error as invalid JSON. */
const FORBIDDEN_KEY = 'The body has a key __proto__ or constructor.prototype, which is not allowed. Rename it.'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Strict: a lenient decoder would change the text. Drops a leading byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ApiError('invalid_json', 'The body is not valid UTF-8. Send JSON encoded as UTF-8.')
  }
}

/** Runs before the body is parsed. @throws ApiError validation_error */
function requireModest(shape: JsonShape, mostValues: number): void {
  const excess = excessOf(shape)
  if (excess === 'values' || shape.values > mostValues)
    throw invalid(`The body has more than ${mostValues} values. Split it into several requests.`)
  if (excess !== undefined) throw invalid(EXCESS[excess])
}

const EXCESS: Readonly<Record<Exclude<NonNullable<ReturnType<typeof excessOf>>, 'values'>, string>> = {
  depth: `The body is nested deeper than ${LIMITS.bodyDepth} levels.`,
  fields: `The body has an object with more than ${LIMITS.bodyFields} fields. Send fewer.`,
}

/**
 * Rejects valid JSON that cannot be stored faithfully: lone surrogates and numbers that parse as infinity.
 * @throws ApiError validation_error
 */
function requireStorable({ hasLoneSurrogate, hasInfiniteNumber }: JsonShape): void {
  if (hasLoneSurrogate) throw invalid('The body contains a lone surrogate. Send well-formed Unicode.')
  if (hasInfiniteNumber)
    throw invalid('The body contains a number outside the range of a double, such as 1e400. Send a smaller number.')
}

const invalid = (message: string) => new ApiError('validation_error', message)
