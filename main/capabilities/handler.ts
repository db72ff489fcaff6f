import type { Readable } from 'node:stream'
import type { BodyOf, Contract, Operation, ParamsOf, QueryOf, ReplyOf } from '../contract/operation.ts'
import type { Engine, Network } from '../contract/shapes.ts'
import type { Principal } from '../kernel/access.ts'
import type { FileContent } from '../kernel/file-content.ts'
import type { Tx } from '../kernel/db.ts'
import type { AccountId, InstanceId } from '../kernel/ids.ts'
import type { Created } from '../kernel/keyed-request.ts'

/** The instance of an operation under /v1/instances/{id}. The caller's access to it is already checked. */
export interface InstanceSubject {
  readonly id: InstanceId
  readonly accountId: AccountId
  readonly engine: Engine
  readonly network: Network
  readonly connected: boolean
  /** It is paired, and the service reconnects it automatically. */
  readonly reconnecting?: boolean
  readonly deleted: boolean
}

/**
 * Call it in the commit after a request to another server. During the request, the caller's access may have ended, or
 * the instance may have been transferred or deleted.
 * @throws ApiError unauthorized, not_found
 */
export type RequireAccess = (tx: Tx) => Promise<void>

/** An API call that has passed all general checks. */
export interface Call<O extends Operation = Operation> {
  readonly principal: Principal
  readonly requestId: string
  readonly params: ParamsOf<O>
  readonly query: QueryOf<O>
  /** Parsed and validated, with defaults. */
  readonly body: BodyOf<O>
  /** The body without defaults, for the idempotency fingerprint. */
  readonly rawBody: unknown
  /** Already validated; null when not sent or not accepted here. */
  readonly idempotencyKey: string | null
  /** `confirm=true` was in the query. */
  readonly confirmed: boolean
  /** The caller asks for CSV and the operation supports it. */
  readonly wantsCsv: boolean
  /** Present when the operation's reach is `instance`. */
  readonly instance: O['reach'] extends 'instance' ? InstanceSubject : undefined
  readonly requireAccess: RequireAccess
}

/** An answer that needs more than a body: another status, extra headers, exact stored bytes (a replay) or a file. */
export class Answer<T> {
  readonly body: T | undefined
  readonly bytes: Buffer | undefined
  /** Served in parts on request; `headers` has its Content-Type. */
  readonly file: FileContent | undefined
  /** A body that is generated while it is read; `headers` has its Content-Type. */
  readonly stream: Readable | undefined
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(answer: {
    body?: T
    bytes?: Buffer
    file?: FileContent
    stream?: Readable
    status?: number
    headers?: Record<string, string>
  }) {
    this.body = answer.body
    this.bytes = answer.bytes
    this.file = answer.file
    this.stream = answer.stream
    this.status = answer.status
    this.headers = answer.headers ?? {}
  }
}

/** The answer for an object that is created once, with the exact bytes of the first answer. */
export const answerOfCreated = <T>({ bytes, replayed }: Created, status = 201) =>
  new Answer<T>({ status, bytes, headers: replayed ? { 'Idempotent-Replayed': 'true' } : {} })

export type Handler<O extends Operation = Operation> = (call: Call<O>) => Promise<ReplyOf<O> | Answer<ReplyOf<O>>>

/** One handler for each operation of a room; a missing one does not compile. */
export type Handlers<C extends Contract> = { readonly [K in keyof C]: Handler<C[K]> }

/**
 * For operations whose path names something other than an instance: throws when it does not exist or has the wrong
 * kind, so that this is reported before the body is validated.
 */
export type Existence<C extends Contract> = {
  readonly [K in keyof C]?: (principal: Principal, params: ParamsOf<C[K]>) => Promise<unknown>
}

/** An operation with its handler. */
export interface ServedOperation {
  readonly operation: Operation
  readonly handler: Handler
  /** One entry of an Existence. */
  readonly exists?: ((principal: Principal, params: Readonly<Record<string, string>>) => Promise<unknown>) | undefined
}
