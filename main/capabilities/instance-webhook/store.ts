import type { Network } from '../../contract/shapes.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { EventName } from './contract.ts'

interface OfInstance {
  instanceId: string
}

/** The webhook of an instance. */
export interface Webhook {
  readonly instanceName: string
  readonly url: string
  readonly names: readonly EventName[]
}

interface WebhookRow {
  instanceName: string
  url: string
  events: string
}

export function toWebhook({ events, ...row }: WebhookRow): Webhook {
  // This room wrote it with valid names only.
  return { ...row, names: JSON.parse(events) as EventName[] }
}

/** The event names of an instance's webhook. Read for every event: one search in a small table. */
export const namesOf = sql<OfInstance, { events: string }>(
  'SELECT events FROM instance_webhooks WHERE instance_id = :instanceId AND ended = 0',
)

/** Also finds ended webhooks, which may have last calls to make. */
export const webhookOf = sql<OfInstance, WebhookRow>(
  'SELECT instance_name AS instanceName, url, events FROM instance_webhooks WHERE instance_id = :instanceId',
)

/** Changes nothing once the instance has ended. */
export const upsertWebhook = sql<OfInstance & { instanceName: string; url: string; events: string; now: number }>(
  `INSERT INTO instance_webhooks (instance_id, instance_name, url, events, created_at, updated_at)
   VALUES (:instanceId, :instanceName, :url, :events, :now, :now)
   ON CONFLICT (instance_id) DO UPDATE SET url = excluded.url, events = excluded.events, updated_at = excluded.updated_at
   WHERE instance_webhooks.ended = 0`,
)

export const removeWebhook = sql<OfInstance>('DELETE FROM instance_webhooks WHERE instance_id = :instanceId')

/** The instance was deleted: no new calls are recorded, and recorded ones are still made. */
export const endWebhook = sql<OfInstance & { now: number }>(
  'UPDATE instance_webhooks SET ended = 1, updated_at = :now WHERE instance_id = :instanceId',
)

/** The instance has returned to the account that set the webhook. */
export const resumeWebhook = sql<OfInstance>('UPDATE instance_webhooks SET ended = 0 WHERE instance_id = :instanceId')

export const removeEnded = sql(
  `DELETE FROM instance_webhooks WHERE ended = 1 AND NOT EXISTS (
     SELECT 1 FROM instance_webhook_calls c WHERE c.instance_id = instance_webhooks.instance_id)`,
)

export const insertCall = sql<OfInstance & { eventSeq: number; name: EventName; now: number }>(
  `INSERT INTO instance_webhook_calls (event_seq, instance_id, name, next_try_at, created_at)
   VALUES (:eventSeq, :instanceId, :name, :now, :now)`,
)

/**
 * A due time further in the future than the longest delay was written before the clock was set back, and counts as
 * due. If retention removed the event nevertheless, its call is dropped by age.
 */
const DUE = `(c.next_try_at <= :now OR c.next_try_at > :furthest)`

/** Calls of a suspended account wait, like the deliveries of its webhooks. */
const MAY_LEAVE = `NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = s.id AND a.status = 'suspended')`

export interface DueCall {
  readonly eventSeq: number
  readonly name: EventName
  readonly tries: number
  readonly accountId: AccountId
  readonly eventId: string
  readonly type: string
  readonly tail: string
}

export const dueCalls = sql<OfInstance & { now: number; furthest: number; limit: number }, DueCall>(
  `SELECT c.event_seq AS eventSeq, c.name, c.tries, s.id AS accountId, e.event_id AS eventId, e.type, e.tail
     FROM instance_webhook_calls c JOIN events e ON e.seq = c.event_seq JOIN subjects s ON s.seq = e.account_seq
    WHERE c.instance_id = :instanceId AND c.lease IS NULL AND ${DUE} AND ${MAY_LEAVE}
    ORDER BY c.event_seq LIMIT :limit`,
)

/** Calls that failed at least once and are retried. */
export const failingCalls = sql<OfInstance, { count: number }>(
  'SELECT count(*) AS count FROM instance_webhook_calls WHERE instance_id = :instanceId AND tries > 0 AND lease IS NULL',
)

/** Instances of an account with such calls. */
export const failingInstances = sql<
  { accountId: string; network: Network | null },
  { id: string; name: string; sinceMs: null; calls: number }
>(
  `SELECT i.id, i.name, NULL AS sinceMs, count(*) AS calls
   FROM instances i JOIN instance_webhook_calls c ON c.instance_id = i.id
   WHERE i.account_id = :accountId AND i.deleted_at IS NULL AND (i.network = :network OR :network IS NULL)
     AND c.tries > 0 AND c.lease IS NULL
   GROUP BY i.id, i.name`,
)

/** Clients of an agency with such instances. Suspended clients are not called. */
export const failingClients = sql<
  { accountId: string; network: Network | null },
  { id: string; name: string; count: number }
>(
  `SELECT a.id, a.name, count(*) AS count FROM accounts a JOIN instances i ON i.account_id = a.id
   WHERE a.parent_account_id = :accountId AND a.deleted_at IS NULL AND a.status = 'active' AND i.deleted_at IS NULL
     AND (i.network = :network OR :network IS NULL) AND EXISTS (
       SELECT 1 FROM instance_webhook_calls c WHERE c.instance_id = i.id AND c.tries > 0 AND c.lease IS NULL)
   GROUP BY a.id`,
)

/** An instance with a due call. */
export interface DueInstance {
  readonly instanceId: InstanceId
  readonly accountId: AccountId
}

/** Every instance with a due call. Jumps from one to the next, however many calls each has. */
export const waitingInstances = sql<{ now: number; furthest: number }, DueInstance>(
  `WITH RECURSIVE waiting (id) AS (
     SELECT min(instance_id) FROM instance_webhook_calls WHERE lease IS NULL
     UNION ALL
     SELECT (SELECT min(n.instance_id) FROM instance_webhook_calls n WHERE n.lease IS NULL AND n.instance_id > waiting.id)
       FROM waiting WHERE waiting.id IS NOT NULL)
   SELECT waiting.id AS instanceId, s.id AS accountId
     FROM waiting
     JOIN events e ON e.seq = (
       SELECT min(o.event_seq) FROM instance_webhook_calls o WHERE o.instance_id = waiting.id AND o.lease IS NULL)
     JOIN subjects s ON s.seq = e.account_seq
    WHERE ${MAY_LEAVE} AND EXISTS (
     SELECT 1 FROM instance_webhook_calls c WHERE c.instance_id = waiting.id AND c.lease IS NULL AND ${DUE})`,
)

type Fenced = { eventSeq: number; boot: string }

export const beginTry = sql<Fenced>(
  `UPDATE instance_webhook_calls SET tries = tries + 1, lease = :boot WHERE event_seq = :eventSeq AND lease IS NULL`,
)

export const finish = sql<Fenced>('DELETE FROM instance_webhook_calls WHERE event_seq = :eventSeq AND lease = :boot')

export const tryAgain = sql<Fenced & { at: number }>(
  `UPDATE instance_webhook_calls SET lease = NULL, next_try_at = :at WHERE event_seq = :eventSeq AND lease = :boot`,
)

/** The call was interrupted on our side, so the attempt is not counted. */
export const giveBack = sql<Fenced>(
  `UPDATE instance_webhook_calls SET lease = NULL, tries = tries - 1 WHERE event_seq = :eventSeq AND lease = :boot`,
)

/**
 * Calls that an earlier boot left running. The attempt counts, because a call that crashes the process would
 * otherwise repeat endlessly.
 */
export const dropAbandoned = sql<{ boot: string; tries: number }>(
  `DELETE FROM instance_webhook_calls WHERE lease > '' AND lease <> :boot AND tries >= :tries`,
)
export const releaseAbandoned = sql<{ boot: string }>(
  `UPDATE instance_webhook_calls SET lease = NULL WHERE lease > '' AND lease <> :boot`,
)

/** The oldest rows come first in the key, so a pass that finds nothing old reads at most `limit` rows. */
export const dropOld = sql<{ before: number; limit: number }>(
  `DELETE FROM instance_webhook_calls WHERE event_seq IN (
     SELECT event_seq FROM (SELECT event_seq, created_at, lease FROM instance_webhook_calls ORDER BY event_seq LIMIT :limit)
       AS oldest WHERE created_at < :before AND lease IS NULL)`,
)

export const dropAll = sql<OfInstance & { limit: number }>(
  `DELETE FROM instance_webhook_calls WHERE event_seq IN (
     SELECT event_seq FROM instance_webhook_calls WHERE instance_id = :instanceId ORDER BY event_seq LIMIT :limit)`,
)
