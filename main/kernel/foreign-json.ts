import { LIMITS } from '../contract/limits.ts'
import { jsonShape, type JsonShape } from './json-shape.ts'

const AT_MOST = { values: LIMITS.bodyValues, depth: LIMITS.bodyDepth, fields: LIMITS.bodyFields } as const

/** @returns what the JSON has too much of to be parsed on the event loop: it takes much longer than text of the same size. */
export function excessOf({ values, fields, depth }: JsonShape): keyof typeof AT_MOST | undefined {
  if (depth > AT_MOST.depth) return 'depth'
  if (values > AT_MOST.values) return 'values'
  return fields > AT_MOST.fields ? 'fields' : undefined
}

/** As far as it matters for `excessOf`. */
export const shapeOfForeign = (bytes: Buffer): JsonShape => jsonShape(bytes, AT_MOST)

/**
 * Parses what somebody else sent, and whose size is bounded.
 * @throws SyntaxError for what is not JSON, or has too many values, fields or levels.
 */
export function parseForeignJson(bytes: Buffer): unknown {
  const excess = excessOf(shapeOfForeign(bytes))
  if (excess !== undefined) throw new SyntaxError(`JSON with more than ${AT_MOST[excess]} ${excess}`)
  return JSON.parse(bytes.toString())
}
