import type { Readable } from 'node:stream'
import type { BodyOf, Contract, Operation, ParamsOf, QueryOf, ReplyOf } from '../contract/operation.ts'
import type { Engine, Network } from '../contract/shapes.ts'
import type { Principal } from '../kernel/access.ts'
import type { FileContent } from '../kernel/file-content.ts'
import type { Tx } from '../kernel/db.ts'
import type { AccountId, InstanceId } from '../kernel/ids.ts'
import type { Created } from '../kernel/keyed-request.ts'

/** The instance an operation under /v1/instances/{id} is about; the door has checked that the caller may reach it. */
export interface InstanceSubject {
  readonly id: InstanceId
  readonly accountId: AccountId
  readonly engine: Engine
  readonly network: Network
  readonly connected: boolean
  /** It is paired, and the service connects it again without anybody's help. */
  readonly reconnecting?: boolean
  readonly deleted: boolean
}

/**
 * Call it in the commit that follows a request to another server. Meanwhile the caller's access may have ended, or the
 * instance may have been transferred or deleted.
 * @throws ApiError unauthorized, not_found
 */
export type RequireAccess = (tx: Tx) => Promise<void>

/** A call after every check of the door. */
export interface Call<O extends Operation = Operation> {
  readonly principal: Principal
  readonly requestId: string
  readonly params: ParamsOf<O>
  readonly query: QueryOf<O>
  /** Parsed and checked; defaults are filled in. */
  readonly body: BodyOf<O>
  /** The body as it was before defaults: what an idempotency fingerprint is taken over. */
  readonly rawBody: unknown
  /** Checked by the door; null when not sent or not accepted here. */
  readonly idempotencyKey: string | null
  /** `confirm=true` was in the query. */
  readonly confirmed: boolean
  /** The caller asks for CSV, of an operation that has it. */
  readonly wantsCsv: boolean
  /** Present when the operation's reach is `instance`. */
  readonly instance: O['reach'] extends 'instance' ? InstanceSubject : undefined
  readonly requireAccess: RequireAccess
}

/** An answer with more than a body: other status, extra headers, or exact stored bytes (a replay), a file. */
export class Answer<T> {
  readonly body: T | undefined
  readonly bytes: Buffer | undefined
  /** Served in parts on request; `headers` has its Content-Type. */
  readonly file: FileContent | undefined
  /** A body that is made as it is read; `headers` has its Content-Type. */
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

/** Of something that is made once, with the very bytes that the first request got. */
export const answerOfCreated = <T>({ bytes, replayed }: Created, status = 201) =>
  new Answer<T>({ status, bytes, headers: replayed ? { 'Idempotent-Replayed': 'true' } : {} })

export type Handler<O extends Operation = Operation> = (call: Call<O>) => Promise<ReplyOf<O> | Answer<ReplyOf<O>>>

/** One handler for each operation of a room; a missing one does not compile. */
export type Handlers<C extends Contract> = { readonly [K in keyof C]: Handler<C[K]> }

/**
 * For operations whose path names something that is no instance: throws when it is not there (or is of another kind
 * than the operation is for), so that the door can say so before it looks at the body.
 */
export type Existence<C extends Contract> = {
  readonly [K in keyof C]?: (principal: Principal, params: ParamsOf<C[K]>) => Promise<unknown>
}

/** An operation and what carries it out. */
export interface ServedOperation {
  readonly operation: Operation
  readonly handler: Handler
  /** One entry of an Existence. */
  readonly exists?: ((principal: Principal, params: Readonly<Record<string, string>>) => Promise<unknown>) | undefined
}
