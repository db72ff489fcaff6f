import type { Database } from 'better-sqlite3'

interface PreservedTable {
  readonly table: string
  /** `present` is the database as it was until now, `main` the copy that takes its place. */
  readonly sql: string
}

/** What going back to an earlier state does not take back. */
const PRESERVED: readonly PreservedTable[] = [
  {
    // A number that was given out is never given out again: programs hold places in lists that end with one.
    table: 'counters',
    sql: `INSERT INTO main.counters (name, value) SELECT name, value FROM present.counters WHERE true
      ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)`,
  },
  {
    // Signed-out sessions stay signed out, and the person who restores is not locked out.
    table: 'console_sessions',
    sql: `DELETE FROM main.console_sessions;
      INSERT INTO main.console_sessions SELECT * FROM present.console_sessions
        WHERE account_id IN (SELECT id FROM main.accounts)`,
  },
  {
    table: 'console_passwords',
    sql: `DELETE FROM main.console_passwords;
      INSERT INTO main.console_passwords SELECT * FROM present.console_passwords
        WHERE account_id IN (SELECT id FROM main.accounts)`,
  },
  {
    // Receivers may have seen more attempts than the copy knows, and distinguish them by number.
    table: 'deliveries',
    // Where the present still shows theirs, ended ones go on behind it as well: they can be redelivered by hand.
    sql: `UPDATE main.deliveries SET attempts = attempts + 10 WHERE next_attempt_at IS NOT NULL OR lease IS NOT NULL;
      UPDATE main.deliveries SET attempts = p.attempts FROM present.deliveries p
        WHERE p.seq = deliveries.seq AND p.id = deliveries.id AND p.attempts > deliveries.attempts;
      UPDATE main.delivery_attempts
        SET attempt = (SELECT d.attempts FROM main.deliveries d WHERE d.seq = delivery_seq)
        WHERE outcome = 'in_progress'`,
  },
  {
    // What was sent is not taken back by it: a repeat gets the answer of then, or none, and never sends again.
    table: 'idempotency_keys',
    sql: `INSERT INTO main.idempotency_keys (scope_id, key, fp, state, boot, subject_id, status, body, created_at, expires_at)
      SELECT scope_id, key, fp, CASE state WHEN 'in_progress' THEN 'unknown' ELSE state END, boot, subject_id, status, body,
             created_at, expires_at
        FROM present.idempotency_keys WHERE expires_at > 0 AND substr(subject_id, 1, 4) = 'msg_'
      ON CONFLICT (scope_id, key) DO UPDATE SET fp = excluded.fp, state = excluded.state, boot = excluded.boot,
        subject_id = excluded.subject_id, status = excluded.status, body = excluded.body,
        created_at = excluded.created_at, expires_at = excluded.expires_at`,
  },
  {
    // A key that was revoked has perhaps leaked.
    table: 'api_keys',
    sql: `UPDATE main.api_keys SET revoked_at = (SELECT p.revoked_at FROM present.api_keys p WHERE p.id = api_keys.id)
      WHERE id IN (SELECT id FROM present.api_keys WHERE revoked_at IS NOT NULL)`,
  },
]

/** Carries over what must not be turned back. Both databases have the same schema. */
export function copyPreserved(copy: Database, presentFile: string): void {
  copy.prepare('ATTACH DATABASE ? AS present').run(presentFile)
  try {
    const isThere = copy.prepare(`SELECT 1 FROM present.sqlite_schema WHERE type = 'table' AND name = ?`)
    copy.transaction(() => {
      for (const { table, sql } of PRESERVED) if (isThere.get(table) !== undefined) copy.exec(sql)
    })()
  } finally {
    copy.exec('DETACH DATABASE present')
  }
}
