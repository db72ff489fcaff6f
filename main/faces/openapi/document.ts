import type { JsonSchema } from '../json-schema.ts'

/** The parts of an OpenAPI 3.1 document that our code reads. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationEntry>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: OperationEntry }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, ResponseEntry>>
    readonly [kind: string]: unknown
  }
  readonly [field: string]: unknown
}

export interface OperationEntry {
  readonly operationId: string
  readonly responses: Readonly<Record<string, ResponseEntry | { readonly $ref: string }>>
  readonly [field: string]: unknown
}

export interface ResponseEntry {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema; readonly [field: string]: unknown }>>
  readonly [field: string]: unknown
}

/** An operation of the document, with its response references resolved. */
interface FoundOperation {
  /** Path template. */
  readonly path: string
  readonly operation: OperationEntry & { readonly responses: Readonly<Record<string, ResponseEntry>> }
}

/**
 * Finds the operation of a request, to validate a response against the document.
 * @param path with or without a query.
 */
export function operationFor(document: OpenApiDocument, method: string, path: string): FoundOperation | undefined {
  const segments = (path.split('?', 1)[0] ?? '').split('/')
  const templates = Object.keys(document.paths).filter((template) => fits(template.split('/'), segments))
  // A literal segment wins over a parameter: /webhooks/deliveries over /webhooks/{id}.
  const [template] = templates.toSorted((a, b) => placeholders(a) - placeholders(b))
  if (template === undefined) return undefined
  const entry = document.paths[template]?.[method.toLowerCase()]
  if (entry === undefined) return undefined
  const responses: Record<string, ResponseEntry> = {}
  for (const [status, response] of Object.entries(entry.responses)) responses[status] = resolved(document, response)
  return { path: template, operation: { ...entry, responses } }
}

const fits = (template: readonly string[], segments: readonly string[]) =>
  template.length === segments.length &&
  template.every((part, at) => (part.startsWith('{') ? segments[at] !== '' : part === segments[at]))

const placeholders = (template: string) => template.split('{').length

function resolved(document: OpenApiDocument, response: ResponseEntry | { readonly $ref: string }): ResponseEntry {
  if (!('$ref' in response) || typeof response.$ref !== 'string') return response as ResponseEntry
  const name = response.$ref.split('/').at(-1) ?? ''
  const shared = document.components.responses[name]
  if (shared === undefined) throw new Error(`the document refers to ${response.$ref}, which it does not have`)
  return shared
}
