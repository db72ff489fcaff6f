import type { TSchema } from 'typebox'
import type { Operations } from '../../main/capabilities/contracts.ts'
import type { BodyOf, FileBodySpec, Operation, ParamsOf, QueryOf, ReplyOf } from '../../main/contract/operation.ts'

type WithFile = { readonly reply: { readonly file: true } }

/**
 * The ID itself if its operation answers with JSON. Evaluated for one ID at a time, because a list of all would check
 * every contract.
 */
export type JsonId<Id extends keyof Operations> = Operations[Id] extends WithFile ? never : Id
/** The ID itself if its operation answers with a file. */
export type FileId<Id extends keyof Operations> = Operations[Id] extends WithFile ? Id : never

/** The ID itself if its operation also answers with CSV. */
export type CsvId<Id extends keyof Operations> = Operations[Id] extends {
  readonly reply: { readonly csv: { readonly example: string } }
}
  ? Id
  : never

/** The answer of an operation: `Reply<'getInstance'>`. */
export type Reply<Id extends keyof Operations> = ReplyOf<Operations[Id]>
/** The body of an operation: `Body<'createInstance'>`. */
export type Body<Id extends keyof Operations> = BodyOf<Operations[Id]>
/** One entry of a list: `Item<'listInstances'>`. */
export type Item<Id extends keyof Operations> = Reply<Id> extends { data: readonly (infer One)[] } ? One : never

/** Undefined values are omitted from the URL. */
type Loose<T> = { readonly [Name in keyof T]: T[Name] | undefined }

/** Required if it has a required property. */
type Field<Name extends string, T> =
  T extends Record<never, never>
    ? Record<never, never> extends T
      ? { readonly [N in Name]?: T }
      : { readonly [N in Name]: T }
    : never

type BodyField<O extends Operation> = O extends { body: TSchema }
  ? O extends { bodyOptional: true }
    ? { readonly body?: BodyOf<O> }
    : { readonly body: BodyOf<O> }
  : { readonly body?: never }

type FileField<O extends Operation> = O extends { bodyFile: FileBodySpec }
  ? { readonly file: Blob }
  : { readonly file?: never }

type KeyField<O extends Operation> = O extends { idempotencyKey: true }
  ? { readonly idempotencyKey?: string }
  : { readonly idempotencyKey?: never }

type ConfirmField<O extends Operation> = O extends { confirm: 'always' }
  ? { readonly confirm: true }
  : O extends { confirm: 'by-body' }
    ? { readonly confirm?: boolean }
    : { readonly confirm?: never }

type Options<O extends Operation> = Field<'params', ParamsOf<O>> &
  Field<'query', Loose<QueryOf<O>>> &
  BodyField<O> &
  FileField<O> &
  KeyField<O> &
  ConfirmField<O> & {
    readonly signal?: AbortSignal | undefined
    /** For operators: the account of a client, or null for the own one, instead of the one that the window shows. */
    readonly account?: string | null
  }

/** The options may be omitted if none is required. */
export type CallOptions<Id extends keyof Operations> =
  Record<never, never> extends Options<Operations[Id]>
    ? [options?: Options<Operations[Id]>]
    : [options: Options<Operations[Id]>]
