import type { Static, TObject, TSchema } from 'typebox'
import type { ApprovalRule } from './approval.ts'
import type { ErrorCode } from './errors.ts'
import type { Scope } from './scopes.ts'
import type { Engine } from './shapes.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * How far an operation reaches, and so what a restricted key may do with it.
 * - `key`: about the caller alone; any key.
 * - `instance`: the path begins /v1/instances/{id}; outside the key's list it is 404.
 * - `instances`: over all instances; a restricted key sees only its own.
 * - `account`: creating an instance, billing, agency, sandbox; restricted keys get 403 `key_restricted`.
 * - `webhooks`: account webhooks, deliveries, events; restricted keys get 403 `instance_restricted_key`.
 */
export type AccessLevel = 'key' | 'instance' | 'instances' | 'account' | 'webhooks'

/** How the operation appears to AI assistants over MCP. */
export interface ToolSpec {
  /** `verb_noun`. */
  readonly name: string
  readonly title: string
  /** Replaces the beginning of `description` where a model needs other words. */
  readonly description?: string
  /** Repeating the call with the same arguments changes nothing more. */
  readonly idempotent: boolean
  /** Touches people or systems outside the service. */
  readonly openWorld: boolean
  /** A GET that sets something going all the same: not offered where nothing may change. */
  readonly readOnly?: false
  /**
   * Fields of the reply that no assistant may see: secrets, QR and pairing codes. They are taken out of the tool's
   * answer and of its output schema, at any depth. An operation with `noStore` has them or is no tool.
   */
  readonly redact?: readonly string[]
  /** Listed only when its room is asked for: rarely needed, and each listed tool costs every conversation. */
  readonly onRequest?: true
  /** The reply can hold words of people outside (messages, profile names); the answer marks them as data. */
  readonly untrusted?: true
}

/** An operation as data. Route, OpenAPI entry, MCP tool and the console's client are derived from it. */
export interface Operation {
  /** camelCase, unique; `operationId` in OpenAPI. */
  readonly id: string
  readonly method: Method
  /** Placeholders in braces: `/v1/instances/{id}/messages`. */
  readonly path: `/${string}`
  readonly summary: string
  readonly description: string
  /** null: any valid key. */
  readonly scope: Scope | null
  readonly reach: AccessLevel
  /** The operation exists only for this engine: others get 400 `engine_mismatch`. */
  readonly engine?: Engine
  /** Irreversible: needs `confirm=true` in the query. `by-body`: the body decides (logout). */
  readonly confirm?: 'always' | 'by-body'
  /** DELETE of an instance stays reachable after it was deleted. */
  readonly reachesDeleted?: true
  /** Accepts the Idempotency-Key header. */
  readonly idempotencyKey?: true
  /** Waits for an engine to answer; its room bounds how many do, the door's own bound does not count them. */
  readonly waitsForEngine?: true
  /** Is carried out also while the disk is full: it needs no room, or helps out of that state. */
  readonly worksWhenFull?: true
  readonly origin: 'spec' | 'ours'
  /** `console`: never offered to API keys, OpenAPI or MCP. */
  readonly audience?: 'console'
  /** Removes or ends something; the console asks first. */
  readonly destructive?: true
  /** Why an assistant needs a person for it, besides what `destructive` and `confirm` say. */
  readonly approval?: ApprovalRule
  /** The answer must not be stored by anyone (credentials, QR codes). */
  readonly noStore?: true
  readonly query?: TObject
  readonly body?: TSchema
  /** A missing body counts as {}. */
  readonly bodyOptional?: true
  readonly reply: {
    readonly status: 200 | 201 | 202 | 204
    readonly description: string
    /** The same body under another status: 200 where what was to be made was there already, 201 where something was. */
    readonly also?: { readonly status: 200 | 201; readonly description: string }
    readonly schema: TSchema | null
    /** The answer is a file and not JSON: bytes under a Content-Type of their own. */
    readonly file?: true
  }
  /** Codes this operation can answer with beyond those of the door (401, 403, 404, 429, validation …). */
  readonly errors: readonly ErrorCode[]
  readonly examples: { readonly body?: unknown; readonly reply?: unknown }
  /** null: not offered to assistants; the reason stands in a comment. */
  readonly tool: ToolSpec | null
}

/** Declares an operation, keeping the literal types that handlers and clients are derived from. */
export const operation = <const O extends Operation>(declared: O): O => declared

/** A room's operations by id. */
export type Contract = Readonly<Record<string, Operation>>

/** A room's contract under its name: what the faces are built from. */
export interface RoomContract {
  readonly room: string
  readonly operations: Contract
}

export type BodyOf<O extends Operation> = O extends { body: infer S extends TSchema } ? Static<S> : undefined
export type QueryOf<O extends Operation> = O extends { query: infer S extends TObject }
  ? Static<S>
  : Record<never, never>
export type ReplyOf<O extends Operation> = O['reply']['schema'] extends infer S
  ? S extends TSchema
    ? Static<S>
    : undefined
  : never

type NamesIn<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never
export type ParamsOf<O extends Operation> = Readonly<Record<NamesIn<O['path']>, string>>
