import type { CrmProblemCode } from '../../contract/crm.ts'
import type { Network } from '../../contract/shapes.ts'
import type { Creator } from '../../kernel/access.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { ClientCount } from '../client-attention.ts'

export interface LinkRow {
  readonly seq: number
  readonly id: string
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  readonly kind: 'ghl' | 'webhook'
  readonly mode: 'oauth' | 'token' | 'webhook'
  /** The real GoHighLevel or the simulator. */
  readonly side: Network
  readonly state: 'connected' | 'reconnect_required'
  readonly queue: string
  readonly locationId: string | null
  readonly locationName: string | null
  readonly companyId: string | null
  readonly providerId: string | null
  readonly url: string | null
  readonly secretEnc: Uint8Array | null
  readonly prevSecretEnc: Uint8Array | null
  readonly prevExpiresAtMs: number | null
  readonly secretLast4: string | null
  /** Who saw the secret; null also if earlier versions did not record it. */
  readonly secretCreatedBy: Creator | null
  readonly prevSecretCreatedBy: Creator | null
  /** JSON. */
  readonly sync: string
  /** JSON. */
  readonly fieldMap: string
  readonly paused: 0 | 1
  readonly errorCode: CrmProblemCode | null
  readonly errorMessage: string | null
  readonly errorAtMs: number | null
  readonly lastSyncAtMs: number | null
  readonly connectedAtMs: number
}

const COLUMNS = `seq, id, account_id AS accountId, instance_id AS instanceId, kind, mode, side, state, queue,
  location_id AS locationId, location_name AS locationName, company_id AS companyId, provider_id AS providerId, url,
  secret_enc AS secretEnc, prev_secret_enc AS prevSecretEnc, prev_expires_at AS prevExpiresAtMs,
  secret_last4 AS secretLast4, secret_created_by AS secretCreatedBy, prev_secret_created_by AS prevSecretCreatedBy, sync, field_map AS fieldMap, paused, error_code AS errorCode,
  error_message AS errorMessage, error_at AS errorAtMs, last_sync_at AS lastSyncAtMs, connected_at AS connectedAtMs`

export const insertLink = sql<LinkRow>(
  `INSERT INTO crm_links (seq, id, account_id, instance_id, kind, mode, side, state, queue, location_id, location_name,
     company_id, provider_id, url, secret_enc, prev_secret_enc, prev_expires_at, secret_last4, secret_created_by,
     prev_secret_created_by, sync, field_map, paused, error_code, error_message, error_at, last_sync_at, connected_at)
   VALUES (:seq, :id, :accountId, :instanceId, :kind, :mode, :side, :state, :queue, :locationId, :locationName,
     :companyId, :providerId, :url, :secretEnc, :prevSecretEnc, :prevExpiresAtMs, :secretLast4, :secretCreatedBy,
     :prevSecretCreatedBy, :sync, :fieldMap, :paused, :errorCode, :errorMessage, :errorAtMs, :lastSyncAtMs, :connectedAtMs)`,
)

export const allLinks = sql<Record<never, never>, LinkRow>(`SELECT ${COLUMNS} FROM crm_links ORDER BY seq`)
/** Clients of an agency whose CRM connections need a new consent. */
export const clientsToReconnect = sql<{ accountId: string; network: Network | null }, ClientCount>(
  `SELECT a.id, a.name, COUNT(*) AS count, MIN(COALESCE(l.error_at, l.connected_at)) AS sinceMs
   FROM accounts a JOIN crm_links l ON l.account_id = a.id AND l.state = 'reconnect_required'
     JOIN instances i ON i.id = l.instance_id AND i.account_id = a.id
   WHERE a.parent_account_id = :accountId AND a.deleted_at IS NULL AND a.status = 'active'
     AND (i.network = :network OR :network IS NULL)
   GROUP BY a.id`,
)
export const linkOf = sql<{ instanceId: string; kind: string }, LinkRow>(
  `SELECT ${COLUMNS} FROM crm_links WHERE instance_id = :instanceId AND kind = :kind`,
)
export const linksOfInstance = sql<{ instanceId: string }, LinkRow>(
  `SELECT ${COLUMNS} FROM crm_links WHERE instance_id = :instanceId ORDER BY kind`,
)
export const linksOfQueue = sql<{ queue: string }, LinkRow>(
  `SELECT ${COLUMNS} FROM crm_links WHERE queue = :queue ORDER BY seq`,
)
export const linksOfAccount = sql<{ accountId: string }, LinkRow>(
  `SELECT ${COLUMNS} FROM crm_links WHERE account_id = :accountId ORDER BY seq`,
)
export const linksOfCompany = sql<{ companyId: string }, LinkRow>(
  `SELECT ${COLUMNS} FROM crm_links WHERE company_id = :companyId ORDER BY seq`,
)
export const linkById = sql<{ id: string }, LinkRow>(`SELECT ${COLUMNS} FROM crm_links WHERE id = :id`)
export const linkBySeq = sql<{ seq: number }, LinkRow>(`SELECT ${COLUMNS} FROM crm_links WHERE seq = :seq`)

/** Everything that can change while it stays the same connection. */
export const updateLink = sql<
  Pick<
    LinkRow,
    | 'seq'
    | 'mode'
    | 'companyId'
    | 'connectedAtMs'
    | 'state'
    | 'locationName'
    | 'providerId'
    | 'url'
    | 'secretEnc'
    | 'prevSecretEnc'
    | 'prevExpiresAtMs'
    | 'secretLast4'
    | 'secretCreatedBy'
    | 'prevSecretCreatedBy'
    | 'sync'
    | 'fieldMap'
    | 'paused'
    | 'errorCode'
    | 'errorMessage'
    | 'errorAtMs'
  >
>(
  `UPDATE crm_links SET mode = :mode, company_id = :companyId, connected_at = :connectedAtMs, state = :state,
     location_name = :locationName, provider_id = :providerId, url = :url, secret_enc = :secretEnc, prev_secret_enc = :prevSecretEnc, prev_expires_at = :prevExpiresAtMs,
     secret_last4 = :secretLast4, secret_created_by = :secretCreatedBy,
     prev_secret_created_by = :prevSecretCreatedBy, sync = :sync, field_map = :fieldMap, paused = :paused, error_code = :errorCode,
     error_message = :errorMessage, error_at = :errorAtMs WHERE seq = :seq`,
)

export const noteSync = sql<{ seq: number; now: number }>('UPDATE crm_links SET last_sync_at = :now WHERE seq = :seq')
export const noteError = sql<{ seq: number; code: string; message: string; now: number }>(
  `UPDATE crm_links SET error_code = :code, error_message = :message, error_at = :now WHERE seq = :seq`,
)
/** Errors of single messages stay until a person has seen them; connection errors end when it works again. */
export const clearError = sql<{ queue: string }>(
  `UPDATE crm_links SET error_code = NULL, error_message = NULL, error_at = NULL
   WHERE queue = :queue AND error_code IN ('unreachable', 'rate_limited', 'daily_limit', 'failed', 'reconnect_required', 'gone', 'secret_ended',
     'uninstalled', 'missing_permission', 'provider_refused', 'messages_failing', 'location_inactive')`,
)
export const setStateOfQueue = sql<{ queue: string; state: string }>(
  'UPDATE crm_links SET state = :state WHERE queue = :queue',
)

// Removes everything that belongs to the connection.
export const removeLink = sql<{ seq: number }>('DELETE FROM crm_links WHERE seq = :seq')
export const removeOutbox = sql<{ seq: number }>('DELETE FROM crm_outbox WHERE link_seq = :seq')
export const removeStatuses = sql<{ seq: number }>('DELETE FROM crm_statuses WHERE link_seq = :seq')
export const removeInbox = sql<{ seq: number }>('DELETE FROM crm_inbox WHERE link_seq = :seq')
export const removeBackfill = sql<{ seq: number }>('DELETE FROM crm_backfills WHERE link_seq = :seq')
export const removeContacts = sql<{ queue: string }>('DELETE FROM crm_contacts WHERE queue = :queue')
/** Removes the tokens of a location without connections. */
export const removeTokens = sql<{ locationId: string }>('DELETE FROM crm_sessions WHERE resource_id = :locationId')
export const removeQueue = sql<{ queue: string }>('DELETE FROM crm_queues WHERE id = :queue')

export interface QueueRow {
  readonly hasJob: 0 | 1
  readonly suspended: 0 | 1
  readonly failures: number
  readonly failingSinceMs: number | null
}

export const queueOf = sql<{ id: string }, QueueRow>(
  `SELECT has_job AS hasJob, suspended, failures, failing_since AS failingSinceMs FROM crm_queues WHERE id = :id`,
)
export const insertQueue = sql<{ id: string; accountId: string }>(
  `INSERT INTO crm_queues (id, account_id, has_job, suspended, failures, failing_since)
   VALUES (:id, :accountId, 0, 0, 0, NULL) ON CONFLICT DO NOTHING`,
)
/** Changes a row if the queue may be worked on and no job does so. */
export const takeQueue = sql<{ id: string }>(
  'UPDATE crm_queues SET has_job = 1 WHERE id = :id AND has_job = 0 AND suspended = 0',
)
export const releaseQueue = sql<{ id: string }>('UPDATE crm_queues SET has_job = 0 WHERE id = :id')
export const suspendQueue = sql<{ id: string; suspended: 0 | 1 }>(
  'UPDATE crm_queues SET suspended = :suspended, failures = 0, failing_since = NULL WHERE id = :id',
)
export const setFailures = sql<{ id: string; failures: number; sinceMs: number | null }>(
  'UPDATE crm_queues SET failures = :failures, failing_since = :sinceMs WHERE id = :id',
)

export const allQueues = sql<Record<never, never>, { id: string }>('SELECT id FROM crm_queues ORDER BY id')

// Secrets of a creator, and replaced secrets.

export const linksBySecretOf = sql<{ creator: Creator }, LinkRow>(
  `SELECT ${COLUMNS} FROM crm_links WHERE secret_created_by = :creator ORDER BY seq`,
)
export const endPreviousSecretsOf = sql<{ creator: Creator }>(
  `UPDATE crm_links SET prev_secret_enc = NULL, prev_expires_at = NULL, prev_secret_created_by = NULL
   WHERE prev_secret_created_by = :creator`,
)

export const wipePrevious = sql<{ now: number }>(
  `UPDATE crm_links SET prev_secret_enc = NULL, prev_expires_at = NULL, prev_secret_created_by = NULL
   WHERE prev_expires_at IS NOT NULL AND prev_expires_at <= :now`,
)
