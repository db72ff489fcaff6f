import type { WebhookId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { ClientCount } from '../client-attention.ts'
import type { SealedKeys } from './keyring.ts'
import type { Webhook } from './contract/endpoints.ts'
import type { DisabledReason, WebhookState } from './states.ts'

export interface WebhookRow {
  readonly seq: number
  readonly id: WebhookId
  readonly url: string
  /** JSON, as in the API. */
  readonly events: string
  readonly description: string | null
  readonly maxInFlight: number
  readonly state: WebhookState
  readonly stateSinceMs: number
  readonly disabledReason: DisabledReason | null
  readonly consecutiveExhausted: number
  readonly activation: number
  readonly secretLast4: string
}

const WEBHOOK = `seq, id, url, events, description, max_in_flight AS maxInFlight, state, state_since AS stateSinceMs,
  disabled_reason AS disabledReason, consecutive_exhausted AS consecutiveExhausted, activation,
  secret_last4 AS secretLast4`

export const webhookById = sql<{ id: string; accountId: string }, WebhookRow>(
  `SELECT ${WEBHOOK} FROM webhooks WHERE id = :id AND account_id = :accountId AND deleted_at IS NULL`,
)

export const webhooksOfAccount = sql<{ accountId: string }, WebhookRow>(
  `SELECT ${WEBHOOK} FROM webhooks WHERE account_id = :accountId AND deleted_at IS NULL ORDER BY seq DESC`,
)

export const webhookTally = sql<{ accountId: string }, { total: number; deactivated: number }>(
  `SELECT COUNT(*) AS total, COUNT(CASE WHEN state = 'deactivated' THEN 1 END) AS deactivated
     FROM webhooks WHERE account_id = :accountId AND deleted_at IS NULL`,
)

/** There are at most as many as an account may have webhooks. */
export const deactivatedWebhooks = sql<{ accountId: string }, { id: string; url: string; sinceMs: number }>(
  `SELECT id, url, state_since AS sinceMs FROM webhooks
   WHERE account_id = :accountId AND deleted_at IS NULL AND state = 'deactivated'`,
)

/** The clients of an agency with such webhooks. */
export const clientsWithDeactivated = sql<{ accountId: string }, ClientCount>(
  `SELECT a.id, a.name, count(*) AS count, min(w.state_since) AS sinceMs
   FROM accounts a JOIN webhooks w ON w.account_id = a.id
   WHERE a.parent_account_id = :accountId AND a.deleted_at IS NULL AND a.status = 'active' AND w.deleted_at IS NULL
     AND w.state = 'deactivated'
   GROUP BY a.id`,
)

/** Webhooks with a delivery that failed and will be tried again. */
export const retryingWebhooks = sql<{ accountId: string }, { id: string; url: string }>(
  `SELECT w.id, w.url FROM webhooks w
   WHERE w.account_id = :accountId AND w.deleted_at IS NULL AND w.state = 'active' AND EXISTS (
     SELECT 1 FROM deliveries d WHERE d.webhook_seq = w.seq AND d.lane = 1 AND d.next_attempt_at IS NOT NULL)`,
)

export const countWebhooks = sql<{ accountId: string }, { count: number }>(
  'SELECT COUNT(*) AS count FROM webhooks WHERE account_id = :accountId AND deleted_at IS NULL',
)

/** Webhooks are few: the next number is one more than the highest, decided inside the unit. */
export const insertWebhook = sql<
  {
    id: string
    accountId: string
    url: string
    events: string
    description: string | null
    maxInFlight: number
    state: WebhookState
    secretEnc: Uint8Array
    secretLast4: string
    now: number
  },
  WebhookRow
>(
  `INSERT INTO webhooks (seq, id, account_id, url, events, description, max_in_flight, state, state_since, secret_enc,
                         secret_last4, created_at, updated_at)
   SELECT COALESCE(MAX(seq), 0) + 1, :id, :accountId, :url, :events, :description, :maxInFlight, :state, :now,
          :secretEnc, :secretLast4, :now, :now
     FROM webhooks
   RETURNING ${WEBHOOK}`,
)

export const changeWebhook = sql<
  {
    seq: number
    url: string
    events: string
    description: string | null
    maxInFlight: number
    state: WebhookState
    stateSinceMs: number
    disabledReason: DisabledReason | null
    consecutiveExhausted: number
    activation: number
    now: number
  },
  WebhookRow
>(
  `UPDATE webhooks SET url = :url, events = :events, description = :description, max_in_flight = :maxInFlight,
          state = :state, state_since = :stateSinceMs, disabled_reason = :disabledReason,
          consecutive_exhausted = :consecutiveExhausted, activation = :activation, updated_at = :now
    WHERE seq = :seq RETURNING ${WEBHOOK}`,
)

/** The row stays, because ended deliveries refer to it; its secrets do not. */
export const markDeleted = sql<{ id: string; accountId: string; nothing: Uint8Array; now: number }, { seq: number }>(
  `UPDATE webhooks SET deleted_at = :now, updated_at = :now, secret_enc = :nothing, prev_secret_enc = NULL,
          prev_expires_at = NULL
    WHERE id = :id AND account_id = :accountId AND deleted_at IS NULL RETURNING seq`,
)

/** A second rotation within the overlap overwrites the older secret: only one previous signature is ever sent. */
export const rotateSecret = sql<
  {
    id: string
    accountId: string
    secretEnc: Uint8Array
    secretLast4: string
    keepsPrevious: number
    prevExpiresAt: number | null
    now: number
  },
  WebhookRow
>(
  `UPDATE webhooks SET prev_secret_enc = CASE WHEN :keepsPrevious = 1 THEN secret_enc ELSE NULL END,
          prev_expires_at = :prevExpiresAt, secret_enc = :secretEnc, secret_last4 = :secretLast4,
          secret_version = secret_version + 1, updated_at = :now
    WHERE id = :id AND account_id = :accountId AND deleted_at IS NULL RETURNING ${WEBHOOK}`,
)

/** @returns rows only when there is something to wipe, so that an idle service does not write. */
export const expiredSecrets = sql<{ now: number }, { seq: number }>(
  'SELECT seq FROM webhooks WHERE prev_expires_at IS NOT NULL AND prev_expires_at <= :now',
)

export const wipeExpiredSecrets = sql<{ now: number }>(
  `UPDATE webhooks SET prev_secret_enc = NULL, prev_expires_at = NULL
    WHERE prev_expires_at IS NOT NULL AND prev_expires_at <= :now`,
)

export const sealedKeysOfAccount = sql<{ accountId: string }, SealedKeys & { readonly url: string }>(
  `SELECT seq, id, url, secret_version AS secretVersion, secret_enc AS secretEnc, prev_secret_enc AS prevSecretEnc,
          prev_expires_at AS prevExpiresAtMs
     FROM webhooks WHERE account_id = :accountId AND deleted_at IS NULL ORDER BY seq`,
)

export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    // Written by create and update from a body the schema had checked.
    events: JSON.parse(row.events) as Webhook['events'],
    description: row.description,
    max_in_flight: row.maxInFlight,
    active: row.state === 'active',
    secret_last4: row.secretLast4,
    disabled_reason: row.disabledReason,
  }
}
