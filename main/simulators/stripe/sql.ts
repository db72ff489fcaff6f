import { sql } from '../../kernel/sql.ts'

export interface ObjectRow {
  readonly account: string
  readonly id: string
  readonly seq: number
  readonly kind: string
  readonly body: string
}

export const objectsAfter = sql<{ after: number; rows: number }, ObjectRow>(
  `SELECT account, id, seq, kind, body FROM sandbox_stripe_objects WHERE seq > :after ORDER BY seq LIMIT :rows`,
)

export const putObject = sql<{ [K in keyof ObjectRow]: ObjectRow[K] }>(
  `INSERT INTO sandbox_stripe_objects (account, id, seq, kind, body) VALUES (:account, :id, :seq, :kind, :body)
   ON CONFLICT (account, id) DO UPDATE SET body = excluded.body`,
)

export const removeObject = sql<{ account: string; id: string }>(
  'DELETE FROM sandbox_stripe_objects WHERE account = :account AND id = :id',
)

export interface KeptAnswer {
  readonly fingerprint: string
  readonly status: number
  readonly body: string
}

export const answerOfKey = sql<{ account: string; key: string; after: number }, KeptAnswer>(
  `SELECT fingerprint, status, body FROM sandbox_stripe_keys
   WHERE account = :account AND key = :key AND created_at > :after`,
)

export const keepAnswer = sql<KeptAnswer & { account: string; key: string; now: number }>(
  `INSERT INTO sandbox_stripe_keys (account, key, fingerprint, status, body, created_at)
   VALUES (:account, :key, :fingerprint, :status, :body, :now)
   ON CONFLICT (account, key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
     body = excluded.body, created_at = excluded.created_at`,
)

export const pruneKeys = sql<{ before: number }>('DELETE FROM sandbox_stripe_keys WHERE created_at < :before')
