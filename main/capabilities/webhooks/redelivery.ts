import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { sql } from '../../kernel/sql.ts'
import type { Attempt, AttemptTarget } from './attempt.ts'
import { beginAttempt, deliveryStateColumns, type WebhookKeysRow, type TakenRow } from './claim.ts'
import { deliveryBySeq, noSuchDelivery, toDelivery } from './deliveries.ts'
import type { Delivery } from './contract/parts.ts'

interface Candidate extends WebhookKeysRow {
  readonly deliverySeq: number
  readonly manual: number
  readonly lease: string | null
  readonly isActive: number
  readonly isDeleted: number
}

const candidate = sql<{ id: string; accountId: string }, Candidate>(
  `SELECT d.seq AS deliverySeq, d.manual, d.lease,
          CASE WHEN w.state = 'active' AND w.deleted_at IS NULL THEN 1 ELSE 0 END AS isActive,
          CASE WHEN w.deleted_at IS NOT NULL THEN 1 ELSE 0 END AS isDeleted,
          w.seq, w.id, w.account_id AS accountId, w.url, w.activation, w.max_in_flight AS maxInFlight,
          w.secret_version AS secretVersion, w.secret_enc AS secretEnc, w.prev_secret_enc AS prevSecretEnc,
          w.prev_expires_at AS prevExpiresAtMs
     FROM deliveries d JOIN webhooks w ON w.seq = d.webhook_seq
    WHERE d.id = :id AND w.account_id = :accountId`,
)

const take = sql<{ seq: number; boot: string; now: number; most: number }, TakenRow>(
  `UPDATE deliveries SET manual = manual + 1, attempts = attempts + 1, lease = :boot, updated_at = :now
    WHERE seq = :seq AND manual < :most AND lease IS NULL
   RETURNING id, event_seq AS eventSeq, attempts, ${deliveryStateColumns('')}`,
)

/**
 * Manual redelivery: claims the delivery in any status, outside the lanes.
 * @param start is given the attempt after the commit, to run as soon as the webhook has a free slot.
 */
export function createRedelivery(deps: {
  db: Db
  clock: Pick<Clock, 'now'>
  asTarget: (hook: WebhookKeysRow) => AttemptTarget
  start: (attempt: Attempt, maxInFlight: number) => void
}) {
  const { db, clock } = deps
  return function redeliver(accountId: string, id: string): Promise<Delivery> {
    return db.commit(async (tx) => {
      const found = await tx.one(candidate, { id, accountId })
      if (!found) throw noSuchDelivery()
      refuseUnlessPossible(found)
      const target = deps.asTarget(found)
      const now = clock.now()
      const seq = found.deliverySeq
      const row = await tx.one(take, { seq, boot: db.boot, now, most: LIMITS.manualRetries })
      const shown = row && (await tx.one(deliveryBySeq, { seq }))
      if (!row || !shown) throw noSuchDelivery()
      const attempt = await beginAttempt(tx, { seq, row, target, trigger: 'manual', now })
      tx.afterCommit(() => deps.start(attempt, found.maxInFlight))
      return toDelivery(shown)
    })
  }
}

function refuseUnlessPossible({ isActive, isDeleted, lease, manual }: Candidate): void {
  if (manual >= LIMITS.manualRetries) {
    throw new ApiError(
      'retry_limit_reached',
      `This delivery has already been redelivered ${LIMITS.manualRetries} times, the maximum.`,
    )
  }
  if (isDeleted === 1) {
    throw new ApiError(
      'invalid_state',
      'The webhook of this delivery was deleted. Replay the event to another webhook with POST /v1/webhooks/{id}/replay.',
    ).because('webhook_deleted')
  }
  if (isActive !== 1) {
    throw new ApiError(
      'invalid_state',
      'The webhook of this delivery is not active. Activate it first with PATCH {"active": true}.',
    ).because('webhook_inactive')
  }
  if (lease !== null) {
    throw new ApiError(
      'invalid_state',
      'An attempt of this delivery is already running. Try again in 10 seconds.',
    ).because('attempt_running')
  }
}
