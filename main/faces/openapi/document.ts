import type { JsonSchema } from '../json-schema.ts'

/** The parts of an OpenAPI 3.1 document that are read again after it was built. */
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

/** An operation of the document, with its responses spelled out. */
interface FoundOperation {
  /** Its path with placeholders. */
  readonly path: string
  readonly operation: OperationEntry & { readonly responses: Readonly<Record<string, ResponseEntry>> }
}

/**
 * The operation a request means, so that an answer can be held against what the document promises.
 * @param path with or without a query.
 */
export function operationFor(document: OpenApiDocument, method: string, path: string): FoundOperation | undefined {
  const segments = (path.split('?', 1)[0] ?? '').split('/')
  const templates = Object.keys(document.paths).filter((template) => fits(template.split('/'), segments))
  // A path written out wins over one with a placeholder in the same place: /webhooks/deliveries over /webhooks/{id}.
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
