import type { FastifyInstance } from 'fastify'
import { ApiError } from '../contract/errors.ts'

/** Accepts only JSON bodies. Keeps the raw text, because fingerprints are computed before defaults are filled in. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      const text = decode(bytes as Buffer)
      if (text === '') return done(null, undefined)
      request.rawText = text
      let outcome: { error: Error | null; value?: unknown } = { error: null }
      // The parser calls back synchronously and would report an error thrown in the callback as invalid JSON.
      void parse(request, text, (error, value: unknown) => void (outcome = { error, value }))
      if (outcome.error !== null) return done(isJson(text) ? invalid(FORBIDDEN_KEY) : outcome.error)
      inspect(text, outcome.value)
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

/** Far deeper than any engine payload; deeper nesting is meant to exhaust the stack. */
const MAX_DEPTH = 100

/** Cheap checks that let almost all bodies skip the full inspection. False positives only cost time. */
const MAY_HAVE_LONE_SURROGATE = /\\u[dD][89a-fA-F]/
const MAY_BE_INFINITE = /[eE]\+?\d\d|\d{100}/

/**
 * Rejects valid JSON that cannot be stored faithfully: lone surrogates, numbers that parse as infinity, extreme nesting.
 * @throws ApiError validation_error
 */
function inspect(text: string, value: unknown): void {
  const isShallow = text.length < 2 * MAX_DEPTH
  if (isShallow && !MAY_HAVE_LONE_SURROGATE.test(text) && !MAY_BE_INFINITE.test(text)) return
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw invalid(`The body is nested deeper than ${MAX_DEPTH} levels.`)
    const below: unknown[] = []
    for (const one of level) {
      if (typeof one === 'object' && one !== null) {
        if (!Array.isArray(one)) Object.keys(one).forEach(rejectUnstorable)
        for (const inner of Object.values(one)) below.push(inner)
      } else rejectUnstorable(one)
    }
    level = below
  }
}

function rejectUnstorable(value: unknown): void {
  if (typeof value === 'string' && !value.isWellFormed())
    throw invalid('The body contains a lone surrogate. Send well-formed Unicode.')
  if (value === Infinity || value === -Infinity)
    throw invalid('The body contains a number outside the range of a double, such as 1e400. Send a smaller number.')
}

const invalid = (message: string) => new ApiError('validation_error', message)
