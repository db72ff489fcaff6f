import type { FastifyInstance } from 'fastify'
import { ApiError } from '../contract/errors.ts'

/** JSON is the only body. Its text is kept, because a fingerprint is taken before defaults are filled in. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      const text = decode(bytes as Buffer)
      if (text === '') return done(null, undefined)
      request.rawText = text
      let outcome: { error: Error | null; value?: unknown } = { error: null }
      // It answers at once, and would take what is thrown here for bad JSON.
      void parse(request, text, (error, value: unknown) => void (outcome = { error, value }))
      if (outcome.error !== null) return done(isJson(text) ? wrong(FORBIDDEN_KEY) : outcome.error)
      inspect(text, outcome.value)
      return done(null, outcome.value)
    } catch (error) {
      return done(error as Error)
    }
  })
}

/** Fastify's parser refuses such keys, as it should, but says of them what it says of broken JSON. */
const FORBIDDEN_KEY = 'The body has a key __proto__ or constructor.prototype. No program may send these; rename it.'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Strict: a lenient decoder would store other text than was sent. A byte order mark at the beginning is left out. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ApiError('invalid_json', 'The body is not valid UTF-8. Send JSON encoded as UTF-8.')
  }
}

/** No payload of any engine comes near it; what goes deeper is meant to exhaust somebody's stack. */
const DEEPEST = 100

/** Neither is found often, and in texts that merely look like it nothing is lost but the time of a look. */
const MAY_HOLD_HALF_A_PAIR = /\\u[dD][89a-fA-F]/
const MAY_BE_INFINITE = /[eE]\+?\d\d|\d{100}/

/**
 * Refuses what JSON can say and nobody can keep as it was said: half of a surrogate pair, a number that is read as
 * infinity, bottomless nesting. @throws ApiError validation_error
 */
function inspect(text: string, value: unknown): void {
  const isShallow = text.length < 2 * DEEPEST
  if (isShallow && !MAY_HOLD_HALF_A_PAIR.test(text) && !MAY_BE_INFINITE.test(text)) return
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) throw wrong(`The body is nested deeper than ${DEEPEST} levels.`)
    const below: unknown[] = []
    for (const one of level) {
      if (typeof one === 'object' && one !== null) {
        if (!Array.isArray(one)) Object.keys(one).forEach(refuseOdd)
        for (const inner of Object.values(one)) below.push(inner)
      } else refuseOdd(one)
    }
    level = below
  }
}

function refuseOdd(value: unknown): void {
  if (typeof value === 'string' && !value.isWellFormed())
    throw wrong('The body holds half of a surrogate pair, which is no character. Send well-formed Unicode.')
  if (value === Infinity || value === -Infinity)
    throw wrong('The body holds a number beyond the range of a double, such as 1e400. Send an ordinary number.')
}

const wrong = (message: string) => new ApiError('validation_error', message)
