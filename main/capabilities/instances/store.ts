import type { Engine, InstanceStatus, Network } from '../../contract/shapes.ts'
import type { Creator } from '../../kernel/access.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sqlOfList } from '../../kernel/sql-list.ts'
import { sql } from '../../kernel/sql.ts'

/** Everything about the link of an instance; written as a whole, by lifecycle.ts alone. */
export interface Link {
  readonly status: InstanceStatus
  readonly statusAtMs: number
  /** A session is stored that the network has not refused. */
  readonly loggedIn: boolean
  readonly phoneNumber: string | null
  readonly profileName: string | null
  /** The engine goes on trying to get the link back. */
  readonly willRetry: boolean
  readonly nextRetryAtMs: number | null
  /** Set while the loss of the link is not announced yet. */
  readonly linkLostAtMs: number | null
  /** Since when a link that was up is down; null before the first one and after logout. */
  readonly downAtMs: number | null
  /** Attempts to connect since the last connection that was stable. */
  readonly attempts: number
  readonly qrAttempt: number | null
  readonly qrExpiresAtMs: number | null
  readonly lastConnectedAtMs: number | null
  readonly lastDisconnectReason: string | null
  readonly disconnectCode: number | null
  /** End of a temporary ban. */
  readonly blockedUntilMs: number | null
  /** What the engine still has to do with the session. */
  readonly discard: 'logout' | 'wipe' | null
}

export interface Instance extends Link {
  readonly id: InstanceId
  readonly accountId: AccountId
  readonly name: string
  readonly instanceName: string
  readonly engine: Engine
  readonly network: Network
  readonly externalRef: string | null
  readonly metadata: Record<string, string> | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly deletedAtMs: number | null
}

type LinkRow = Omit<Link, 'loggedIn' | 'willRetry'> & { loggedIn: number; willRetry: number }
export type InstanceRow = Omit<Instance, keyof Link | 'metadata'> & LinkRow & { metadata: string | null }

const INSTANCE = `id, account_id AS accountId, name, instance_name AS instanceName, engine, network,
  external_ref AS externalRef, metadata, status, status_at AS statusAtMs, logged_in AS loggedIn,
  phone_number AS phoneNumber, profile_name AS profileName, will_retry AS willRetry, next_retry_at AS nextRetryAtMs,
  link_lost_at AS linkLostAtMs, down_at AS downAtMs, attempts, qr_attempt AS qrAttempt,
  qr_expires_at AS qrExpiresAtMs, last_connected_at AS lastConnectedAtMs,
  last_disconnect_reason AS lastDisconnectReason, disconnect_code AS disconnectCode, blocked_until AS blockedUntilMs,
  discard, created_at AS createdAtMs, updated_at AS updatedAtMs, deleted_at AS deletedAtMs`

type Id = { id: string }
type OfAccount = { accountId: string }

export interface SubjectRow {
  id: InstanceId
  accountId: AccountId
  engine: Engine
  network: Network
  status: InstanceStatus
  loggedIn: 0 | 1
  willRetry: 0 | 1
  deletedAtMs: number | null
}

/**
 * The existence check of the request pipeline (`faces/http.ts`). It runs on every request under /v1/instances/{id},
 * so it reads only the columns it needs.
 */
export const subjectById = sql<Id & OfAccount, SubjectRow>(
  `SELECT id, account_id AS accountId, engine, network, status, logged_in AS loggedIn, will_retry AS willRetry,
     deleted_at AS deletedAtMs
   FROM instances WHERE id = :id AND account_id = :accountId`,
)

export const byId = sql<Id, InstanceRow>(`SELECT ${INSTANCE} FROM instances WHERE id = :id`)

export const everConnected = sql<OfAccount, { id: string }>(
  `SELECT id FROM instances WHERE account_id = :accountId AND deleted_at IS NULL AND last_connected_at IS NOT NULL
   ORDER BY created_at, id LIMIT 1`,
)

export const liveByExternalRef = sql<OfAccount & { externalRef: string }, InstanceRow>(
  `SELECT ${INSTANCE} FROM instances
   WHERE account_id = :accountId AND external_ref = :externalRef AND deleted_at IS NULL`,
)

export const liveByName = sql<OfAccount & { name: string }, InstanceRow>(
  `SELECT ${INSTANCE} FROM instances WHERE account_id = :accountId AND name = :name AND deleted_at IS NULL
   ORDER BY id LIMIT 1000`,
)

export const byInstanceName = sql<OfAccount & { instanceName: string }, Id>(
  'SELECT id FROM instances WHERE account_id = :accountId AND instance_name = :instanceName',
)

export const insertInstance = sql<
  Id &
    OfAccount & {
      name: string
      instanceName: string
      engine: string
      network: string
      externalRef: string | null
      metadata: string | null
      createdBy: Creator | null
      at: number
    }
>(`INSERT INTO instances (id, account_id, name, instance_name, engine, network, external_ref, metadata, created_by,
     status, status_at, created_at, updated_at)
   VALUES (:id, :accountId, :name, :instanceName, :engine, :network, :externalRef, :metadata, :createdBy, 'created',
     :at, :at, :at)`)

const OFFICIAL = `engine = 'official' AND deleted_at IS NULL`

export const officialOfAccount = sql<OfAccount, Pick<Instance, 'id'>>(
  `SELECT id FROM instances WHERE account_id = :accountId AND ${OFFICIAL}`,
)
export const officialCreatedBy = sql<{ creator: Creator }, Pick<Instance, 'id'>>(
  `SELECT id FROM instances WHERE created_by = :creator AND ${OFFICIAL}`,
)
/** They were created before it was recorded by whom. */
export const officialOfUnknownCreator = sql<OfAccount, Pick<Instance, 'id'>>(
  `SELECT id FROM instances WHERE account_id = :accountId AND created_by IS NULL AND ${OFFICIAL}`,
)

export const updateInstance = sql<
  Id & { name: string; externalRef: string | null; metadata: string | null; updatedAtMs: number }
>(`UPDATE instances SET name = :name, external_ref = :externalRef, metadata = :metadata, updated_at = :updatedAtMs
   WHERE id = :id`)

export const updateLink = sql<Id & LinkRow & { updatedAtMs: number }>(
  `UPDATE instances SET status = :status, status_at = :statusAtMs, logged_in = :loggedIn,
     phone_number = :phoneNumber, profile_name = :profileName, will_retry = :willRetry,
     next_retry_at = :nextRetryAtMs, link_lost_at = :linkLostAtMs, down_at = :downAtMs, attempts = :attempts,
     qr_attempt = :qrAttempt, qr_expires_at = :qrExpiresAtMs, last_connected_at = :lastConnectedAtMs,
     last_disconnect_reason = :lastDisconnectReason, disconnect_code = :disconnectCode,
     blocked_until = :blockedUntilMs, discard = :discard, updated_at = :updatedAtMs
   WHERE id = :id`,
)

export const markDeleted = sql<Id & { at: number }>(
  `UPDATE instances SET deleted_at = :at, updated_at = :at, link_lost_at = NULL, will_retry = 0, discard = 'wipe'
   WHERE id = :id`,
)

export interface AnnouncedRow {
  accountId: AccountId
  externalRef: string | null
  metadata: string | null
  engine: Engine
  sequence: number
}

/** Numbers an event of the instance and reads what its envelope says of the instance: one statement per event. */
export const nextEvent = sql<Id, AnnouncedRow>(
  `UPDATE instances SET event_sequence = event_sequence + 1 WHERE id = :id
   RETURNING account_id AS accountId, external_ref AS externalRef, metadata, engine, event_sequence AS sequence`,
)

/** Newest first, after the position. */
export const pageByAge = sql<OfAccount & { createdAtMs: number; id: string; limit: number }, InstanceRow>(
  `SELECT ${INSTANCE} FROM instances
   WHERE account_id = :accountId AND deleted_at IS NULL AND (created_at, id) < (:createdAtMs, :id)
   ORDER BY created_at DESC, id DESC LIMIT :limit`,
)

type Span = OfAccount & { afterMs: number; untilMs: number; limit: number }

/** Oldest change first. */
export const pageByChange = sql<Span, InstanceRow>(
  `SELECT ${INSTANCE} FROM instances
   WHERE account_id = :accountId AND deleted_at IS NULL AND updated_at > :afterMs AND updated_at <= :untilMs
   ORDER BY updated_at LIMIT :limit`,
)

/** Oldest deletion first. */
export const pageByDeletion = sql<Span, InstanceRow>(
  `SELECT ${INSTANCE} FROM instances
   WHERE account_id = :accountId AND deleted_at IS NOT NULL AND deleted_at > :afterMs AND deleted_at <= :untilMs
   ORDER BY deleted_at LIMIT :limit`,
)

/**
 * Rows of a restricted key's list, deleted ones included, in no order. The account is left to the caller to check: with
 * it as a condition the planner walks through all instances of the account.
 */
export const byIds = sqlOfList<string, Record<never, never>, InstanceRow>(
  (ids) => `SELECT ${INSTANCE} FROM instances WHERE id IN (${ids})`,
)

/** Instances an engine may have to take up after a restart, in the order of ids. */
export const pageToResume = sql<{ afterId: string; limit: number }, InstanceRow>(
  `SELECT ${INSTANCE} FROM instances
   WHERE id > :afterId AND deleted_at IS NULL AND (status IN ('connecting', 'qr', 'passkey_required', 'connected') OR will_retry = 1)
   ORDER BY id LIMIT :limit`,
)

export const pageToDiscard = sql<{ afterId: string; limit: number }, InstanceRow>(
  `SELECT ${INSTANCE} FROM instances WHERE discard IS NOT NULL AND id > :afterId ORDER BY id LIMIT :limit`,
)

/** Clears only the request that was carried out: a newer one stays. */
export const discarded = sql<Id & { discard: string }>(
  'UPDATE instances SET discard = NULL WHERE id = :id AND discard = :discard',
)

/** The name in addresses may have been taken in the new account. */
export const rehomeInstance = sql<Id & OfAccount & { instanceName: string; at: number }>(
  `UPDATE instances SET account_id = :accountId, instance_name = :instanceName, updated_at = :at WHERE id = :id`,
)

export interface Departure {
  readonly instanceId: InstanceId
  readonly externalRef: string | null
  readonly metadata: string | null
  readonly deletedAtMs: number
}

export const insertDeparture = sql<OfAccount & Departure>(
  `INSERT INTO instance_departures (account_id, deleted_at, instance_id, external_ref, metadata)
   VALUES (:accountId, :deletedAtMs, :instanceId, :externalRef, :metadata)`,
)
/** The connection is back. */
export const removeDepartures = sql<OfAccount & { instanceId: string }>(
  'DELETE FROM instance_departures WHERE instance_id = :instanceId AND account_id = :accountId',
)
/** Oldest first. */
export const pageOfDepartures = sql<Span, Departure>(
  `SELECT instance_id AS instanceId, external_ref AS externalRef, metadata, deleted_at AS deletedAtMs
   FROM instance_departures WHERE account_id = :accountId AND deleted_at > :afterMs AND deleted_at <= :untilMs
   ORDER BY deleted_at LIMIT :limit`,
)

export const insertReconnect = sql<Id & { at: number }>(
  'INSERT INTO instance_reconnects (instance_id, at) VALUES (:id, :at)',
)
export const pruneReconnects = sql<Id & { before: number }>(
  'DELETE FROM instance_reconnects WHERE instance_id = :id AND at < :before',
)
export const countReconnects = sql<Id & { since: number }, { count: number }>(
  'SELECT count(*) AS count FROM instance_reconnects WHERE instance_id = :id AND at >= :since',
)

export function toInstance(row: InstanceRow): Instance {
  // metadata was checked against its schema before it was written.
  const metadata = row.metadata === null ? null : (JSON.parse(row.metadata) as Record<string, string>)
  return { ...row, metadata, loggedIn: row.loggedIn === 1, willRetry: row.willRetry === 1 }
}

/** Its session is still to be wiped; a deleted one stays in the status it had. */
export const isRecreating = ({ status, deletedAtMs }: Pick<Instance, 'status' | 'deletedAtMs'>): boolean =>
  status === 'recreating' && deletedAtMs === null

export function linkRow(link: Link): LinkRow {
  return { ...link, loggedIn: Number(link.loggedIn), willRetry: Number(link.willRetry) }
}
