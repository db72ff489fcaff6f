import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { sql } from '../../kernel/sql.ts'
import type { Standing } from './attempt.ts'
import { STANDING } from './claim.ts'
import type { createRecord } from './record.ts'
import type { Lane, Trigger } from './states.ts'

const CHUNK = 500

interface AbandonedRow extends Standing {
  readonly deliverySeq: number
  readonly number: number
  readonly lease: string
  readonly webhookSeq: number
  readonly activation: number
  readonly trigger: Trigger
  readonly startedAtMs: number
}

const abandoned = sql<{ boot: string }, AbandonedRow>(
  `SELECT d.seq AS deliverySeq, d.attempts AS number, d.lease, d.webhook_seq AS webhookSeq, w.activation, a.trigger,
          a.started_at AS startedAtMs, ${STANDING.replaceAll(/(^|, )\s*(\w)/g, '$1d.$2')}
     FROM deliveries d JOIN webhooks w ON w.seq = d.webhook_seq
     JOIN delivery_attempts a ON a.delivery_seq = d.seq AND a.attempt = d.attempts
    WHERE d.lease IS NOT NULL AND d.lease <> :boot ORDER BY d.seq`,
)
