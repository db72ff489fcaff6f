import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { ClientCount } from '../client-attention.ts'
import type { Mode } from './store.ts'

/** An agency's own Stripe account. */
export interface AgencyRow {
  readonly accountId: AccountId
  readonly enabled: 0 | 1
  readonly mode: Mode
  readonly keySealed: Uint8Array | null
  readonly keyLast4: string | null
}

export const agencyRow = sql<{ accountId: string }, AgencyRow>(
  `SELECT account_id AS accountId, enabled, mode, key_sealed AS keySealed, key_last4 AS keyLast4
   FROM billing_agencies WHERE account_id = :accountId`,
)

export const saveAgency = sql<{ [K in keyof AgencyRow]: AgencyRow[K] }>(
  `INSERT INTO billing_agencies (account_id, enabled, mode, key_sealed, key_last4)
   VALUES (:accountId, :enabled, :mode, :keySealed, :keyLast4)
   ON CONFLICT (account_id) DO UPDATE SET enabled = excluded.enabled, mode = excluded.mode,
     key_sealed = excluded.key_sealed, key_last4 = excluded.key_last4`,
)

export interface ClientRow {
  readonly clientId: AccountId
  readonly agencyId: AccountId
  /** JSON of the request body. */
  readonly terms: string
  /** Number of changes to the terms. */
  readonly revision: number
  readonly state: 'pending' | 'active' | 'past_due' | 'failed'
  readonly error: string | null
  readonly customerId: string | null
  readonly subscriptionId: string | null
  readonly periodEndMs: number | null
  /** YYYY-MM-DD. */
  readonly reportedUntil: string
  readonly updatedAtMs: number
}

const CLIENT = `client_id AS clientId, agency_id AS agencyId, terms, revision, state, error, customer_id AS customerId,
  subscription_id AS subscriptionId, period_end AS periodEndMs, reported_until AS reportedUntil,
  updated_at AS updatedAtMs`

export const clientRow = sql<{ clientId: string }, ClientRow>(
  `SELECT ${CLIENT} FROM billing_clients WHERE client_id = :clientId`,
)

export const countClients = sql<{ agencyId: string }, { clients: number }>(
  'SELECT COUNT(*) AS clients FROM billing_clients WHERE agency_id = :agencyId',
)

export const clientsOfAgency = sql<{ agencyId: string }, { clientId: AccountId }>(
  'SELECT client_id AS clientId FROM billing_clients WHERE agency_id = :agencyId ORDER BY client_id',
)

/** Clients of an agency with an overdue invoice, or with terms that Stripe rejected. */
export const clientsIn = sql<{ accountId: string; state: 'past_due' | 'failed' }, ClientCount>(
  `SELECT a.id, a.name, 1 AS count, c.updated_at AS sinceMs
   FROM billing_clients c JOIN accounts a ON a.id = c.client_id
   WHERE c.agency_id = :accountId AND c.state = :state AND a.deleted_at IS NULL`,
)

export const putClient = sql<{ [K in keyof ClientRow]: ClientRow[K] }>(
  `INSERT INTO billing_clients (client_id, agency_id, terms, revision, state, error, customer_id, subscription_id,
     period_end, reported_until, updated_at)
   VALUES (:clientId, :agencyId, :terms, :revision, :state, :error, :customerId, :subscriptionId, :periodEndMs,
     :reportedUntil, :updatedAtMs)
   ON CONFLICT (client_id) DO UPDATE SET terms = excluded.terms, revision = excluded.revision, state = excluded.state,
     error = excluded.error, customer_id = excluded.customer_id, subscription_id = excluded.subscription_id,
     period_end = excluded.period_end, reported_until = excluded.reported_until, updated_at = excluded.updated_at`,
)

export const dropClient = sql<{ clientId: string }>('DELETE FROM billing_clients WHERE client_id = :clientId')

/** The sub-account, if it belongs to this agency. */
export const subAccountOf = sql<{ agencyId: string; clientId: string }, { name: string }>(
  'SELECT name FROM accounts WHERE id = :clientId AND parent_account_id = :agencyId',
)
