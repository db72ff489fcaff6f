import type { Database } from 'better-sqlite3'

interface Carried {
  readonly table: string
  /** `present` is the database as it was until now, `main` the copy that takes its place. */
  readonly sql: string
}

/** What going back to an earlier state does not take back. */
const CARRIED: readonly Carried[] = [
  {
    // A number that was given out is never given out again: programs hold places in lists that end with one.
    table: 'counters',
    sql: `INSERT INTO main.counters (name, value) SELECT name, value FROM present.counters WHERE true
      ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)`,
  },
  {
    // Whoever was signed out stays out, and who restores is not locked out by it.
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
    // Receivers may have seen more attempts than the copy knows of, and tell them apart by their number.
    table: 'deliveries',
    sql: `UPDATE main.delivery_attempts SET attempt = attempt + 10 WHERE outcome = 'in_progress';
      UPDATE main.deliveries SET attempts = attempts + 10 WHERE next_attempt_at IS NOT NULL OR lease IS NOT NULL`,
  },
  {
    // A key that was revoked has perhaps leaked.
    table: 'api_keys',
    sql: `UPDATE main.api_keys SET revoked_at = (SELECT p.revoked_at FROM present.api_keys p WHERE p.id = api_keys.id)
      WHERE id IN (SELECT id FROM present.api_keys WHERE revoked_at IS NOT NULL)`,
  },
]

/** Carries over what must not be turned back. Both databases have the same schema. */
export function carryOver(copy: Database, presentFile: string): void {
  copy.prepare('ATTACH DATABASE ? AS present').run(presentFile)
  try {
    const isThere = copy.prepare(`SELECT 1 FROM present.sqlite_schema WHERE type = 'table' AND name = ?`)
    copy.transaction(() => {
      for (const { table, sql } of CARRIED) if (isThere.get(table) !== undefined) copy.exec(sql)
    })()
  } finally {
    copy.exec('DETACH DATABASE present')
  }
}
