import type { Database } from 'better-sqlite3'
import { EVERY_SEQUENCE } from './sequences.ts'

/** Receivers may have seen more attempts than the copy knows, and distinguish them by number. */
const RAISE_ATTEMPTS =
  'UPDATE main.deliveries SET attempts = attempts + 10 WHERE next_attempt_at IS NOT NULL OR lease IS NOT NULL'
const RENUMBER_ATTEMPTS_IN_PROGRESS = `UPDATE main.delivery_attempts
  SET attempt = (SELECT d.attempts FROM main.deliveries d WHERE d.seq = delivery_seq) WHERE outcome = 'in_progress'`

/** A message that waits in the copy may have left since it was made: it is never sent again. */
const MARK_QUEUED = `UPDATE main.messages SET dispatch_started_at = created_at
  WHERE status = 'queued' AND dispatch_started_at IS NULL`

/**
 * What restoring does not take back. `present` is the database as it was until now, `main` the copy that takes its
 * place. Both have the same schema.
 */
const PRESERVED = [
  // A number that was given out is never given out again: programs hold places in lists that end with one.
  `INSERT INTO main.counters (name, value) SELECT name, value FROM present.counters WHERE true
      ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)`,
  // Signed-out sessions stay signed out, and the person who restores is not locked out.
  `DELETE FROM main.console_sessions;
      INSERT INTO main.console_sessions SELECT * FROM present.console_sessions
        WHERE account_id IN (SELECT id FROM main.accounts)`,
  `DELETE FROM main.console_passwords;
      INSERT INTO main.console_passwords SELECT * FROM present.console_passwords
        WHERE account_id IN (SELECT id FROM main.accounts)`,
  RAISE_ATTEMPTS,
  // Deliveries that ended also continue after their last number: they can be redelivered by hand.
  `UPDATE main.deliveries SET attempts = p.attempts FROM present.deliveries p
        WHERE p.seq = deliveries.seq AND p.id = deliveries.id AND p.attempts > deliveries.attempts`,
  RENUMBER_ATTEMPTS_IN_PROGRESS,
  // A message that was sent stays sent: a repeat gets the response of then, or none, and never sends again.
  `INSERT INTO main.idempotency_keys (scope_id, key, fp, state, boot, subject_id, status, body, created_at, expires_at)
      SELECT scope_id, key, fp, CASE state WHEN 'in_progress' THEN 'unknown' ELSE state END, boot, subject_id, status, body,
             created_at, expires_at
        FROM present.idempotency_keys WHERE expires_at > 0 AND substr(subject_id, 1, 4) = 'msg_'
      ON CONFLICT (scope_id, key) DO UPDATE SET fp = excluded.fp, state = excluded.state, boot = excluded.boot,
        subject_id = excluded.subject_id, status = excluded.status, body = excluded.body,
        created_at = excluded.created_at, expires_at = excluded.expires_at`,
  MARK_QUEUED,
  // A refresh token works once, and an older one was used since.
  `DELETE FROM main.crm_sessions;
      INSERT INTO main.crm_sessions SELECT * FROM present.crm_sessions
        WHERE account_id IN (SELECT id FROM main.accounts)`,
  // What waits in the copy may have reached the CRM since: it is looked for before it is added again.
  'UPDATE main.crm_outbox SET attempted = 1 WHERE failed_at IS NULL',
  // A key that was revoked has perhaps leaked.
  `UPDATE main.api_keys SET revoked_at = (SELECT p.revoked_at FROM present.api_keys p WHERE p.id = api_keys.id)
      WHERE id IN (SELECT id FROM present.api_keys WHERE revoked_at IS NOT NULL)`,
]

/** Carries over what must not be turned back, from an intact database. */
export function copyPreserved(copy: Database, presentFile: string): void {
  copy.prepare('ATTACH DATABASE ? AS present').run(presentFile)
  try {
    copy.transaction(() => PRESERVED.forEach((sql) => copy.exec(sql)))()
  } finally {
    copy.exec('DETACH DATABASE present')
  }
}

/** Far more numbers than a backup can be behind: nothing above it can have been given out before. */
const SKIPPED_NUMBERS = 1_000_000

const ADVANCE_PAST_LOSS = [
  `INSERT INTO counters (name, value) VALUES ('${EVERY_SEQUENCE}', 0) ON CONFLICT (name) DO NOTHING`,
  `UPDATE counters SET value = value + ${SKIPPED_NUMBERS}`,
  RAISE_ATTEMPTS,
  RENUMBER_ATTEMPTS_IN_PROGRESS,
  MARK_QUEUED,
  // A session that ended since must not be open again.
  'DELETE FROM console_sessions',
]

/** The same where the present database is damaged and nothing is taken from it. */
export function advancePastLoss(copy: Database): void {
  copy.transaction(() => ADVANCE_PAST_LOSS.forEach((sql) => copy.exec(sql)))()
}
