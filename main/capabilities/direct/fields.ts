import { ApiError } from '../../contract/errors.ts'
import type { ActionBody } from './contract/actions.ts'

type Field = keyof ActionBody
type Present<R extends Field, O extends Field> = { readonly [K in R]-?: NonNullable<ActionBody[K]> } & {
  readonly [K in O]?: ActionBody[K]
}

/**
 * Returns the fields of one action. The schema has checked each value; this checks which are present.
 * @throws ApiError validation_error that names a missing or unknown field.
 */
export function fieldsOf<R extends Field = never, O extends Field = never>(
  action: string,
  body: ActionBody,
  required: readonly R[],
  optional: readonly O[] = [],
): Present<R, O> {
  const known: readonly string[] = [...required, ...optional]
  const stray = Object.keys(body).find((field) => !known.includes(field))
  if (stray !== undefined) throw invalidFields(action, known, `has no field ${JSON.stringify(stray)}`)
  const missing = required.find((field) => body[field] === undefined)
  if (missing !== undefined) throw invalidFields(action, known, `needs ${missing}`)
  // Just checked; the compiler cannot follow it by name.
  return body as Present<R, O>
}

function invalidFields(action: string, known: readonly string[], fault: string): ApiError {
  const list = known.length === 0 ? 'It takes no fields.' : `Its fields are ${known.join(', ')}.`
  return new ApiError('validation_error', `${action} ${fault}. ${list}`)
}
