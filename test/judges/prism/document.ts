import { parseYaml } from '../yaml.ts'
import type { Schema } from './values.ts'

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
  readonly isBodyRequired: boolean
}

interface Entry {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { required: boolean; content: { 'application/json': { schema: Schema } } }
}

/** The served document, as far as requests are made from it. */
export function readDocument(yaml: string) {
  const document = parseYaml(yaml) as {
    paths: Record<string, Record<string, Entry>>
    components: { schemas: Record<string, Schema> }
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, entry]): OperationToFuzz => ({
      id: entry.operationId,
      method: method.toUpperCase(),
      path,
      parameters: entry.parameters ?? [],
      body: entry.requestBody?.content['application/json'].schema,
      isBodyRequired: entry.requestBody?.required === true,
    })),
  )
  const resolve = (ref: string): Schema => document.components.schemas[ref.split('/').at(-1) ?? ''] ?? {}
  return { operations, resolve }
}
