import type { Static, TObject, TSchema } from 'typebox'
import type { Effects } from './effects.ts'
import type { ErrorCode } from './errors.ts'
import type { Feature } from './features.ts'
import type { Topic } from './notice.ts'
import type { Scope } from './scopes.ts'
import type { Engine } from './shapes.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * What an operation gives access to, which determines whether a restricted key may call it.
 * - `key`: the caller itself; any key may call it.
 * - `instance`: the path begins with /v1/instances/{id}; an instance outside the key's list is 404.
 * - `instances`: all instances; a restricted key sees only its own.
 * - `account`: creating an instance, billing, agency, sandbox; restricted keys get 403 `key_restricted`.
 * - `webhooks`: account webhooks, deliveries, events; restricted keys get 403 `instance_restricted_key`.
 */
export type AccessLevel = 'key' | 'instance' | 'instances' | 'account' | 'webhooks'

/**
 * The role of a person signed in to the console. `operator`: the owner of this computer, who also has its settings,
 * backups and logs. `member`: a person who works in one account, without access to the computer or other accounts.
 */
export type ConsoleRole = 'operator' | 'member'

/** How the operation appears to AI assistants over MCP. */
export interface ToolSpec {
  /** `verb_noun`. */
  readonly name: string
  readonly title: string
  /** Replaces the beginning of `description` where a model needs a different one. */
  readonly description?: string
  /** Repeating the call with the same arguments changes nothing more. */
  readonly idempotent: boolean
  /** Set on a GET that has side effects: it is not offered at /mcp/readonly. */
  readonly readOnly?: false
  /**
   * Fields of the reply that no assistant may see: secrets, QR and pairing codes. They are removed from the result and
   * the output schema, at any depth. An operation with `noStore` must set this or have no tool.
   */
  readonly redact?: readonly string[]
  /** Fields of the body that the tool does not list, because they would cost more tokens than they are worth. */
  readonly omit?: readonly string[]
  /** Rarely needed: listed only if its toolset is requested, because every listed tool costs tokens. */
  readonly onRequest?: true
  /** The reply can contain text from strangers (messages, profile names); the result marks it as data. */
  readonly untrusted?: true
}

/** File types that an operation accepts as its body. */
export interface FileBodySpec {
  /** Without parameters: `text/csv`. */
  readonly types: readonly string[]
  readonly maxBytes: number
}

/** A file as the body of a call. */
export interface FileBody {
  readonly mimeType: string
  /** Read it once. Throws an ApiError when the file is larger than `maxBytes`. */
  readonly stream: AsyncIterable<Uint8Array>
  /** Aborted when the caller's key or session ends, which stops storing in many commits. Its reason is an ApiError. */
  readonly ended: AbortSignal
}

/** An operation as data. Route, OpenAPI entry, MCP tool and the console's client are derived from it. */
export interface Operation {
  /** camelCase, unique; `operationId` in OpenAPI. */
  readonly id: string
  /**
   * The most that a call can do, besides changing records of its account. Approvals, suspension, freezing and the
   * hints of the tool are derived from it.
   */
  readonly effects: Effects
  readonly method: Method
  /** Placeholders in braces: `/v1/instances/{id}/messages`. */
  readonly path: `/${string}`
  readonly summary: string
  readonly description: string
  /** null: any valid key. */
  readonly scope: Scope | null
  readonly reach: AccessLevel
  /** Only this engine supports the operation; others get 400 `engine_mismatch`. */
  readonly engine?: Engine
  /** Irreversible: needs `confirm=true` in the query, and the effect `removal`. `by-body`: the body decides (logout). */
  readonly confirm?: 'always' | 'by-body'
  /** Also accepts deleted instances, so that DELETE can be repeated. */
  readonly reachesDeleted?: true
  /** Accepts the Idempotency-Key header. */
  readonly idempotencyKey?: true
  /**
   * A repeated Idempotency-Key is answered before the account is checked, and only then is a frozen account refused:
   * a caller who lost the first answer must learn that the message was sent.
   */
  readonly replaysWhenFrozen?: true
  /** Waits for an engine. The room limits concurrent calls; the general limit does not count them. */
  readonly waitsForEngine?: true
  /** Also runs while the disk is full: it needs no space, or helps to free some. */
  readonly worksWhenFull?: true
  readonly origin: 'spec' | 'ours'
  /** `console`: never offered to API keys, OpenAPI or MCP. */
  readonly audience?: 'console'
  /** Set on every console operation: who may call it. An operator may do what a member may. */
  readonly role?: ConsoleRole
  /** The response must not be cached or stored (credentials, QR codes). */
  readonly noStore?: true
  readonly query?: TObject
  readonly body?: TSchema
  /** The body is a file instead of JSON. Such an operation has no tool. */
  readonly bodyFile?: FileBodySpec
  /** A missing body is read as {}. */
  readonly bodyOptional?: true
  readonly reply: {
    readonly status: 200 | 201 | 202 | 204 | 307
    readonly description: string
    /** The same body with another status: 200 if the resource already existed, 201 if it was created. */
    readonly also?: { readonly status: 200 | 201; readonly description: string }
    readonly schema: TSchema | null
    /** The response is a file with its own Content-Type instead of JSON. */
    readonly file?: true
    /** Also answers with `text/csv` to callers that ask for it in Accept; `example` is its first line. */
    readonly csv?: { readonly example: string }
  }
  /** Error codes of this operation besides those of every operation (401, 403, 404, 429, validation …). */
  readonly errors: readonly ErrorCode[]
  readonly examples: { readonly body?: unknown; readonly reply?: unknown }
  /** null: not offered to assistants; a comment gives the reason. */
  readonly tool: ToolSpec | null
}

/** Declares an operation, keeping the literal types that handlers and clients are derived from. */
export const operation = <const O extends Operation>(declared: O): O => declared

/** A room's operations by id. */
export type Contract = Readonly<Record<string, Operation>>

/** A room's contract with its name. The faces are built from these. */
export interface RoomContract {
  readonly room: string
  /** One or two sentences for the OpenAPI document. Not needed by a room that only the console uses. */
  readonly about?: string
  readonly operations: Contract
  /** Path segments that are topics: an operation that changes something publishes the last one in its path. */
  readonly topics?: readonly Topic[]
  /** The feature that all of its operations need: a sub-account without it gets 403 `insufficient_scope`. */
  readonly feature?: Feature
}

export type BodyOf<O extends Operation> = O extends { bodyFile: FileBodySpec }
  ? FileBody
  : O extends { body: infer S extends TSchema }
    ? Static<S>
    : undefined
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
