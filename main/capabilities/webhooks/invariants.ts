import type { Db } from '../../kernel/db.ts'
import { sql } from '../../kernel/sql.ts'

interface Violation {
  readonly id: string
}

/** Must hold between any two commits. Each query finds the rows that break its rule. */
const RULES = {
  'I1 attempt numbers start at 1, rise and never repeat': sql<Params, Violation>(
    `SELECT d.id FROM deliveries d
      WHERE d.attempts < (SELECT COUNT(*) FROM delivery_attempts a WHERE a.delivery_seq = d.seq)
         OR d.attempts < (SELECT COALESCE(MAX(a.attempt), 0) FROM delivery_attempts a WHERE a.delivery_seq = d.seq)`,
  ),
  'I2 at most 8 counted failures, each in the log': sql<Params, Violation>(
    `SELECT d.id FROM deliveries d WHERE d.counted > 8
        OR d.counted <> (SELECT COUNT(*) FROM delivery_attempts a WHERE a.delivery_seq = d.seq AND a.counted = 1)`,
  ),
  'I3 delivered is final and was answered': sql<Params, Violation>(
    `SELECT d.id FROM deliveries d
      WHERE (d.status = 'delivered') <> (d.delivered_at IS NOT NULL)
         OR (d.status = 'delivered' AND (d.next_attempt_at IS NOT NULL OR NOT EXISTS (
              SELECT 1 FROM delivery_attempts a WHERE a.delivery_seq = d.seq AND a.outcome = 'success')))`,
  ),
  'I4 nothing is claimed for a webhook that is not active': sql<Params, Violation>(
    `SELECT d.id FROM deliveries d JOIN webhooks w ON w.seq = d.webhook_seq
       JOIN delivery_attempts a ON a.delivery_seq = d.seq AND a.attempt = d.attempts
      WHERE d.lease IS NOT NULL AND w.state <> 'active' AND a.started_at > w.state_since`,
  ),
  // Slots are free when the answer is there; up to 64 answers may wait for their commit. Accepted redeliveries queue.
  'I5 no more in flight than max_in_flight': sql<Params, Violation>(
    `SELECT w.id FROM webhooks w
      WHERE w.max_in_flight + 64 < (SELECT COUNT(*) FROM deliveries d
        JOIN delivery_attempts a ON a.delivery_seq = d.seq AND a.attempt = d.attempts
        WHERE d.webhook_seq = w.seq AND d.lease IS NOT NULL AND a.trigger <> 'manual')`,
  ),
  'I6 bodies differ only in the attempt digits': sql<Params, Violation>(
    `SELECT d.id FROM deliveries d LEFT JOIN events e ON e.seq = d.event_seq
      WHERE e.seq IS NULL OR substr(e.head, length(e.head) - 9) <> '"attempt":' OR substr(e.tail, 1, 1) <> ','`,
  ),
  'I7 what is open has a due time or a final reason': sql<Params, Violation>(
    `SELECT d.id FROM deliveries d
      WHERE (d.status IN ('pending', 'failed')) <> (d.next_attempt_at IS NOT NULL OR d.final_reason IS NOT NULL)
         OR (d.next_attempt_at IS NOT NULL AND d.final_reason IS NOT NULL)
         OR (d.status = 'pending' AND d.counted > 0) OR (d.status = 'exhausted') <> (d.status <> 'delivered' AND d.counted = 8
              AND d.final_reason IS NULL)`,
  ),
  'I8 every lease is of this boot and has its attempt in progress': sql<Params, Violation>(
    `SELECT d.id FROM deliveries d
      WHERE d.lease <> :boot
         OR (d.lease IS NOT NULL) <> EXISTS (SELECT 1 FROM delivery_attempts a
              WHERE a.delivery_seq = d.seq AND a.attempt = d.attempts AND a.outcome = 'in_progress')
         OR EXISTS (SELECT 1 FROM delivery_attempts a
              WHERE a.delivery_seq = d.seq AND a.attempt < d.attempts AND a.outcome = 'in_progress')`,
  ),
  'I9 at most 5 manual redeliveries, each in the log': sql<Params, Violation>(
    `SELECT d.id FROM deliveries d WHERE d.manual > 5
        OR d.manual <> (SELECT COUNT(*) FROM delivery_attempts a WHERE a.delivery_seq = d.seq AND a.trigger = 'manual')`,
  ),
} as const

interface Params {
  readonly boot: string
}

/**
 * Reads through every delivery; for `doctor` and for tests, not for the hot path.
 * @returns one sentence per broken rule, naming the first rows; empty when all hold.
 */
export async function checkInvariants(db: Pick<Db, 'read' | 'boot'>): Promise<string[]> {
  const found: string[] = []
  for (const [rule, statement] of Object.entries(RULES)) {
    const broken = await db.read(statement, { boot: db.boot })
    if (broken.length > 0)
      found.push(
        `${rule}: broken by ${broken.length}, first ${broken
          .slice(0, 3)
          .map(({ id }) => id)
          .join(', ')}`,
      )
  }
  return found
}
