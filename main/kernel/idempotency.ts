import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { ApiError } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Clock } from './clock.ts'
import type { Db, Tx } from './db.ts'
import type { BootId } from './ids.ts'
import { sql } from './sql.ts'

/** What a caller holds while the request of a key runs. */
interface Held {
  /** What the key is unique within: an instance, or the account where there is none. */
  readonly scopeId: string
  readonly key: string
  /** What the request makes, for example a message. Later writes reach only the row that holds this subject. */
  readonly subjectId: string
}

export interface Busy {
  readonly kind: 'busy'
  readonly state: 'in_progress' | 'unknown'
  readonly subjectId: string
}

export type Claim =
  /** The key is free (peek) or now held by the caller (claim). */
  | { readonly kind: 'fresh' }
  /** The first request succeeded: answer with these bytes and `Idempotent-Replayed: true`. */
  | { readonly kind: 'replay'; readonly status: number; readonly body: Buffer }
  /** The first request runs, or its outcome is unknown: answer with `stillBusy(claim)`. */
  | Busy

/**
 * Idempotency-Key: the first request with a key executes, every later one with the same body gets its answer.
 * Spec: Limits and Errors. A key lives 24 hours from its first acceptance; only successes are stored for replay.
 */
export interface Idempotency {
  /**
   * SHA-256 over operation, scope and the canonical body (RFC 8785), so that a retry with reordered keys matches.
   * @param operation method and subject, for example `POST messages`: the same key on another operation conflicts.
   * @param rawBody the parsed body before defaults are filled in.
   */
  fingerprint(operation: string, scopeId: string, rawBody: unknown): Buffer
  /**
   * Takes the key inside the unit that makes the subject; an expired row is replaced. One statement, a second one
   * only when the key is in use. @throws ApiError idempotency_conflict for a live key with another fingerprint.
   */
  claim(tx: Tx, request: Held & { readonly fp: Buffer; readonly boot: BootId }): Promise<Claim>
  /** What `claim` would say, without taking the key: for answers that come before any work. @throws as `claim`. */
  peek(db: Pick<Db, 'readOne' | 'boot'>, request: { scopeId: string; key: string; fp: Buffer }): Promise<Claim>
  /** Stores the answer for replay. A stored answer is never changed. Without `subjectId`: any record with the key. */
  settle(tx: Tx, scopeId: string, key: string, status: number, body: Buffer, subjectId?: string): Promise<void>
  /** Frees the key, because nothing was done: a repeat executes again. A stored answer stays. */
  release(tx: Tx, scopeId: string, key: string, subjectId?: string): Promise<void>
  /** The request may have taken effect: repeats are refused until it is settled, released or 24 hours old. */
  markUnknown(tx: Tx, scopeId: string, key: string, subjectId?: string): Promise<void>
  /**
   * After a restart: a request that another boot left running becomes `unknown`. Its owner names it, so that no
   * index over all keys has to be kept for this.
   */
  recover(tx: Tx, boot: BootId, left: Held): Promise<void>
  /** Frees the key as `release` does, but still says who held it: the subject exists, and is looked up by the key. */
  retire(tx: Tx, scopeId: string, key: string, subjectId: string): Promise<void>
  /** Who held the key last, however long ago; undefined when nobody did, or when it was released. */
  holderOf(db: Pick<Db, 'readOne'>, scopeId: string, key: string): Promise<string | undefined>
  /**
   * Drops the fingerprints and answers of at most `limit` expired rows. Who held the key stays: an index of subjects by
   * key would cost every request a random page more than this table does (measured: a fifth of its commit).
   * @returns how many.
   */
  prune(tx: Tx, nowMs: number, limit: number): Promise<number>
}

const LIFETIME_MS = LIMITS.idempotencyHours * 3_600_000

interface LiveRow {
  subjectId: string
  fp: Uint8Array
  state: 'in_progress' | 'unknown' | 'done'
  boot: string
  status: number | null
  body: Uint8Array | null
}

type Slot = { scopeId: string; key: string }
type Owned = Slot & { subjectId: string | null }

// `DO UPDATE … WHERE expired` does three things at once: takes a free key, replaces an expired one, leaves a live one.
const take = sql<Slot & { fp: Uint8Array; subjectId: string; boot: string; now: number; expiresAt: number }>(
  `INSERT INTO idempotency_keys (scope_id, key, fp, state, boot, subject_id, status, body, created_at, expires_at)
   VALUES (:scopeId, :key, :fp, 'in_progress', :boot, :subjectId, NULL, NULL, :now, :expiresAt)
   ON CONFLICT (scope_id, key) DO UPDATE SET fp = excluded.fp, state = excluded.state, boot = excluded.boot,
     subject_id = excluded.subject_id, status = NULL, body = NULL, created_at = excluded.created_at,
     expires_at = excluded.expires_at
   WHERE idempotency_keys.expires_at <= :now`,
)

const live = sql<Slot & { now: number }, LiveRow>(
  `SELECT subject_id AS subjectId, fp, state, boot, status, body FROM idempotency_keys
   WHERE scope_id = :scopeId AND key = :key AND expires_at > :now`,
)

const OWNED = `scope_id = :scopeId AND key = :key AND (subject_id = :subjectId OR :subjectId IS NULL)`

const store = sql<Owned & { status: number; body: Uint8Array }>(
  `UPDATE idempotency_keys SET state = 'done', status = :status, body = :body WHERE ${OWNED} AND state <> 'done'`,
)

const free = sql<Owned>(`DELETE FROM idempotency_keys WHERE ${OWNED} AND state <> 'done'`)

const doubt = sql<Owned>(`UPDATE idempotency_keys SET state = 'unknown' WHERE ${OWNED} AND state = 'in_progress'`)

const doubtOther = sql<Owned & { boot: string }>(
  `UPDATE idempotency_keys SET state = 'unknown' WHERE ${OWNED} AND state = 'in_progress' AND boot <> :boot`,
)

/** An expired row: free for the next request, and a memory of the last one. */
const EMPTIED = 'fp = :nothing, status = NULL, body = NULL, expires_at = 0'
const nothing = new Uint8Array(0)

const empty = sql<Owned & { nothing: Uint8Array }>(
  `UPDATE idempotency_keys SET ${EMPTIED} WHERE ${OWNED} AND state <> 'done'`,
)

const emptyExpired = sql<{ nothing: Uint8Array; now: number; limit: number }>(
  `UPDATE idempotency_keys SET ${EMPTIED} WHERE (scope_id, key) IN (
     SELECT scope_id, key FROM idempotency_keys WHERE expires_at > 0 AND expires_at <= :now
      ORDER BY expires_at LIMIT :limit)`,
)

const holder = sql<Slot, { subjectId: string }>(
  'SELECT subject_id AS subjectId FROM idempotency_keys WHERE scope_id = :scopeId AND key = :key',
)

export function createIdempotency({ clock }: { clock: Clock }): Idempotency {
  return {
    fingerprint: (operation, scopeId, rawBody) =>
      hash('sha256', `v1\n${operation}\n${scopeId}\n${canonical(rawBody)}`, 'buffer'),

    async claim(tx, { scopeId, key, fp, subjectId, boot }) {
      const now = clock.now()
      const taken = await tx.run(take, { scopeId, key, fp, subjectId, boot, now, expiresAt: now + LIFETIME_MS })
      return taken > 0 ? { kind: 'fresh' } : judge(await tx.one(live, { scopeId, key, now }), fp, boot)
    },
    peek: async (db, { scopeId, key, fp }) =>
      judge(await db.readOne(live, { scopeId, key, now: clock.now() }), fp, db.boot),

    async settle(tx, scopeId, key, status, body, subjectId) {
      await tx.run(store, { scopeId, key, subjectId: subjectId ?? null, status, body })
    },
    async release(tx, scopeId, key, subjectId) {
      await tx.run(free, { scopeId, key, subjectId: subjectId ?? null })
    },
    async markUnknown(tx, scopeId, key, subjectId) {
      await tx.run(doubt, { scopeId, key, subjectId: subjectId ?? null })
    },

    async recover(tx, boot, { scopeId, key, subjectId }) {
      await tx.run(doubtOther, { scopeId, key, subjectId, boot })
    },
    async retire(tx, scopeId, key, subjectId) {
      await tx.run(empty, { nothing, scopeId, key, subjectId })
    },
    holderOf: async (db, scopeId, key) => (await db.readOne(holder, { scopeId, key }))?.subjectId,
    prune: (tx, now, limit) => tx.run(emptyExpired, { nothing, now, limit }),
  }
}

/** 409 for a repeat that came before the first request's outcome is known, with the time to wait in Retry-After. */
export function stillBusy({ state }: Busy): ApiError {
  if (state === 'in_progress') {
    const message = 'The first request with this Idempotency-Key is still running. Retry it unchanged in one second.'
    return new ApiError('idempotency_in_progress', message, { 'Retry-After': '1' })
  }
  const message =
    'The outcome of the first request with this Idempotency-Key is still unknown, and is being found out. ' +
    'Retry it unchanged every five seconds until it is known. With a new key it could happen twice.'
  return new ApiError('idempotency_in_progress', message, { 'Retry-After': '5' })
}

/** Reads a live row as an answer. */
function judge(row: LiveRow | undefined, fp: Buffer, boot: string): Claim {
  if (!row) return { kind: 'fresh' }
  if (!fp.equals(row.fp)) {
    throw new ApiError(
      'idempotency_conflict',
      'This Idempotency-Key was already used in the last 24 hours with a different body or operation. ' +
        'Repeat the original request to get its response, or use a new key.',
    )
  }
  if (row.state !== 'done') {
    // A request of an earlier process does not run any more.
    const state = row.boot === boot ? row.state : 'unknown'
    return { kind: 'busy', state, subjectId: row.subjectId }
  }
  return { kind: 'replay', status: row.status ?? 200, body: Buffer.from(row.body ?? []) }
}

/** RFC 8785 refuses what has no canonical form: half of a surrogate pair, numbers beyond the range of a double. */
function canonical(body: unknown): string {
  try {
    return canonicalize(body) ?? ''
  } catch {
    throw new ApiError(
      'validation_error',
      'The body contains an unpaired surrogate or a number out of range. Send well-formed Unicode and finite numbers.',
    )
  }
}
