import { ApiError } from '../contract/errors.ts'
import type { Db, Tx } from './db.ts'
import { stillBusy, type Claim, type Idempotency } from './idempotency.ts'

/** What a room needs to make something once. */
export interface KeyedDeps {
  readonly db: Db
  readonly idempotency: Idempotency
}

interface Request {
  /** Method and subject, such as `POST campaigns`. */
  readonly operation: string
  /** What the key is unique within: an instance, or the account where there is none. */
  readonly scopeId: string
  /** What the request is about, if that is less than the scope. */
  readonly aboutId?: string
  readonly key: string | null
  /** The parsed body before defaults are filled in. */
  readonly rawBody: unknown
  /** Whether the outcome of an interrupted request is established later. Default: true. */
  readonly isFoundOut?: boolean
}

/** A request that makes something, once however often it comes with its Idempotency-Key. Without one it is always new. */
export interface KeyedRequest {
  readonly key: string | null
  /**
   * The answer to an earlier request with the key, before any work; undefined: there was none.
   * @throws ApiError idempotency_in_progress, idempotency_conflict
   */
  earlier(): Promise<Buffer | undefined>
  /** The same in the unit that makes the subject, which takes the key if it is free. @throws ApiError as `earlier` */
  claim(tx: Tx, subjectId: string): Promise<Buffer | undefined>
  /** Keeps the answer for repeats, in the unit that makes it true. */
  settle(tx: Tx, subjectId: string, answer: Buffer, status?: number): Promise<void>
  /** Nothing was made after all: a repeat does the work. */
  release(tx: Tx, subjectId: string): Promise<void>
  /** It may have been made: repeats are refused. */
  markUnknown(tx: Tx, subjectId: string): Promise<void>
}

/** An answer, or that of the first request with the same key. */
export interface Created {
  readonly bytes: Buffer
  readonly replayed: boolean
}

export function keyedRequest({ db, idempotency }: KeyedDeps, request: Request): KeyedRequest {
  const { operation, scopeId, aboutId = scopeId, key, rawBody, isFoundOut = true } = request
  const held = key === null ? null : { scopeId, key, fp: idempotency.fingerprint(operation, aboutId, rawBody) }
  const answerOf = (claim: Claim): Buffer | undefined => {
    if (claim.kind === 'busy') throw claim.state === 'unknown' && !isFoundOut ? neverKnown() : stillBusy(claim)
    return claim.kind === 'replay' ? claim.body : undefined
  }
  return {
    key,
    earlier: async () => (held === null ? undefined : answerOf(await idempotency.peek(db, held))),
    claim: async (tx, subjectId) =>
      held === null ? undefined : answerOf(await idempotency.claim(tx, { ...held, subjectId, boot: db.boot })),
    async settle(tx, subjectId, answer, status = 201) {
      if (held !== null) await idempotency.settle(tx, scopeId, held.key, status, answer, subjectId)
    },
    async release(tx, subjectId) {
      if (held !== null) await idempotency.release(tx, scopeId, held.key, subjectId)
    },
    async markUnknown(tx, subjectId) {
      if (held !== null) await idempotency.markUnknown(tx, scopeId, held.key, subjectId)
    },
  }
}

/**
 * Makes something in one commit that also keeps the answer; a repeat gets that answer.
 * @param judge finds what is wrong before anything is written. @returns what writes, and the answer to give.
 * @throws ApiError idempotency_in_progress, idempotency_conflict, and what `judge` throws
 */
export async function createOnce(
  deps: KeyedDeps,
  { status = 201, subjectId, ...request }: Request & { readonly subjectId: string; readonly status?: number },
  judge: () => Promise<(tx: Tx) => Promise<object>>,
): Promise<Created> {
  const keyed = keyedRequest(deps, request)
  const earlier = await keyed.earlier()
  if (earlier !== undefined) return { bytes: earlier, replayed: true }
  const write = await judge()
  return deps.db.commit(async (tx) => {
    const first = await keyed.claim(tx, subjectId)
    if (first !== undefined) return { bytes: first, replayed: true }
    const bytes = bytesOf(await write(tx))
    await keyed.settle(tx, subjectId, bytes, status)
    return { bytes, replayed: false }
  })
}

/**
 * Makes an outside call whose outcome cannot be looked up later. The key is claimed before the call, and the answer is
 * stored after it. A request with an unknown outcome is never repeated.
 * @param isUndone whether an error of `act` proves that nothing was done: then the key is free again.
 * @throws ApiError idempotency_in_progress, idempotency_conflict, and what `act` throws
 */
export async function callOnce(
  deps: KeyedDeps,
  { status = 200, subjectId, ...request }: Request & { readonly subjectId: string; readonly status?: number },
  act: () => Promise<object>,
  isUndone: (error: unknown) => boolean,
): Promise<Created> {
  const { db } = deps
  const keyed = keyedRequest(deps, { ...request, isFoundOut: false })
  if (keyed.key === null) return { bytes: bytesOf(await act()), replayed: false }
  const earlier = (await keyed.earlier()) ?? (await db.commit((tx) => keyed.claim(tx, subjectId)))
  if (earlier !== undefined) return { bytes: earlier, replayed: true }
  let bytes: Buffer
  try {
    bytes = bytesOf(await act())
  } catch (error) {
    await db.commit((tx) => (isUndone(error) ? keyed.release(tx, subjectId) : keyed.markUnknown(tx, subjectId)))
    throw error
  }
  await db.commit((tx) => keyed.settle(tx, subjectId, bytes, status))
  return { bytes, replayed: false }
}

const bytesOf = (answer: object) => Buffer.from(JSON.stringify(answer))

const neverKnown = () =>
  new ApiError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key was interrupted, and may have been carried out. ' +
      'Check whether it was. If not, send it with a new key.',
  ).because('outcome_unknown')
