import { sql } from '../../kernel/sql.ts'

/** A request the catcher received. */
export interface Caught {
  readonly seq: number
  readonly receivedAtMs: number
  /** JSON object of the headers as received. */
  readonly headers: string
  /** The exact text of the body. */
  readonly body: string
  readonly signature: 'valid' | 'invalid' | 'none'
}

interface Named {
  accountId: string
  name: string
}

export const addCatcher = sql<Named & { seq: number }>(
  `INSERT INTO sandbox_catchers (seq, account_id, name, reply_status, reply_delay_ms, reply_hang)
   VALUES (:seq, :accountId, :name, 200, 0, 0) ON CONFLICT (account_id, name) DO NOTHING`,
)

export const catcherNamed = sql<Named, { seq: number; status: number; delayMs: number; hang: number }>(
  `SELECT seq, reply_status AS status, reply_delay_ms AS delayMs, reply_hang AS hang FROM sandbox_catchers
   WHERE account_id = :accountId AND name = :name`,
)

export const setReply = sql<{ seq: number; status: number; delayMs: number; hang: number }>(
  'UPDATE sandbox_catchers SET reply_status = :status, reply_delay_ms = :delayMs, reply_hang = :hang WHERE seq = :seq',
)

export const addCaught = sql<{
  seq: number
  catcher: number
  receivedAt: number
  headers: string
  body: string
  signature: string
}>(
  `INSERT INTO sandbox_caught (seq, catcher, received_at, headers, body, signature)
   VALUES (:seq, :catcher, :receivedAt, :headers, :body, :signature)`,
)

export const caughtPage = sql<{ catcher: number; before: number; limit: number }, Caught>(
  `SELECT seq, received_at AS receivedAtMs, headers, body, signature FROM sandbox_caught
   WHERE catcher = :catcher AND seq < :before ORDER BY seq DESC LIMIT :limit`,
)

export const emptyCatcher = sql<{ catcher: number; upTo: number; limit: number }>(
  `DELETE FROM sandbox_caught WHERE seq IN (
     SELECT seq FROM sandbox_caught WHERE catcher = :catcher AND seq <= :upTo ORDER BY seq LIMIT :limit)`,
)

/** Removes the oldest rows beyond the newest `:kept`. */
export const pruneCaught = sql<{ catcher: number; kept: number; limit: number }>(
  `DELETE FROM sandbox_caught WHERE seq IN (
     SELECT seq FROM sandbox_caught WHERE catcher = :catcher AND seq < (
       SELECT seq FROM sandbox_caught WHERE catcher = :catcher ORDER BY seq DESC LIMIT 1 OFFSET :kept - 1)
     ORDER BY seq LIMIT :limit)`,
)
