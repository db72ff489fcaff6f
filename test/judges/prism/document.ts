import { parseYaml } from '../yaml.ts'
import type { Resolve, Schema } from './values.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: Schema
}

export interface OperationToFuzz {
  readonly id: string
  readonly method: string
  /** With placeholders. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: Schema | undefined
  /** The body of all actions of this path: what it allows, this one action need not. */
  readonly anyBody?: Schema
  readonly isBodyRequired: boolean
  /** The types of file that it takes as its body. */
  readonly fileTypes: readonly string[]
}

interface Entry {
  readonly operationId: string
  readonly description: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { required: boolean; content: Record<string, { schema: Schema }> }
}

const JSON_TYPE = 'application/json'

/** The served document, as far as requests are made from it. */
export function readDocument(yaml: string) {
  const document = parseYaml(yaml) as {
    paths: Record<string, Record<string, Entry>>
    components: { schemas: Record<string, Schema> }
  }
  const resolve = (ref: string): Schema => document.components.schemas[ref.split('/').at(-1) ?? ''] ?? {}
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, entry]) => {
      const operation: OperationToFuzz = {
        id: entry.operationId,
        method: method.toUpperCase(),
        path,
        parameters: entry.parameters ?? [],
        body: entry.requestBody?.content[JSON_TYPE]?.schema,
        isBodyRequired: entry.requestBody?.required === true,
        fileTypes: Object.keys(entry.requestBody?.content ?? {}).filter((type) => type !== JSON_TYPE),
      }
      return [operation, ...actionsOf(operation, entry.description, resolve)]
    }),
  )
  return { operations, resolve }
}

const ANY_ACTION = '/{group}/{action}'
/** `| send/link | to, url, text? | … |` */
const ROW = /^\| ([a-z/, ]+) \| ([a-z_?, ]+|–) \|/gm

/**
 * Where a path stands for many actions, a table in the description says which fields belong to which. Each row is
 * fuzzed as an operation of its own, so that the table is held to be true as well.
 */
function actionsOf(operation: OperationToFuzz, description: string, resolve: Resolve): OperationToFuzz[] {
  const { path, parameters, body = {} } = operation
  if (!path.endsWith(ANY_ACTION)) return []
  const known = (typeof body['$ref'] === 'string' ? resolve(body['$ref']) : body)['properties'] as Schema
  return [...description.matchAll(ROW)].flatMap(([, names = '', listed = '']) => {
    const fields = listed === '–' ? [] : listed.split(', ')
    const required = fields.filter((field) => !field.endsWith('?'))
    const properties = Object.fromEntries(
      fields.map((field) => field.replace('?', '')).map((name) => [name, known[name]]),
    )
    return names.split(', ').map((name) => ({
      ...operation,
      path: path.replace(ANY_ACTION, `/${name}`),
      parameters: parameters.filter(({ in: where, name: called }) => where !== 'path' || called === 'id'),
      anyBody: body,
      body: { type: 'object', properties, required, additionalProperties: false },
    }))
  })
}
