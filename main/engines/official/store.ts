import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import { sqlOfList } from '../../kernel/sql-list.ts'
import { NO_PAGE_TOKEN, PAGE_TOKEN_COLUMNS, type PageTokenColumns } from '../page-token.ts'

/** Why Meta accepts nothing more from a number. */
export type Refusal = 'token_revoked' | 'banned'

export interface NumberRow extends PageTokenColumns {
  readonly instanceId: InstanceId
  readonly accountId: AccountId
  readonly verifySealed: Uint8Array
  readonly credentialsSealed: Uint8Array | null
  readonly phoneNumberId: string | null
  readonly wabaId: string | null
  readonly number: string | null
  readonly name: string | null
  readonly up: number
  readonly refused: Refusal | null
  readonly facts: string | null
  /** null: that of the service. */
  readonly graphVersion: string | null
}

type Id = { instanceId: string }

const COLUMNS = `instance_id AS instanceId, account_id AS accountId, ${PAGE_TOKEN_COLUMNS}, verify_sealed AS verifySealed,
  credentials_sealed AS credentialsSealed, phone_number_id AS phoneNumberId, waba_id AS wabaId, number, name, up,
  refused, facts, graph_version AS graphVersion`

export const allNumbers = sql<Record<never, never>, NumberRow>(`SELECT ${COLUMNS} FROM official_numbers`)

export const numberById = sql<Id, NumberRow>(`SELECT ${COLUMNS} FROM official_numbers WHERE instance_id = :instanceId`)

interface AddedNumber extends Id {
  readonly accountId: string
  readonly tokenHash: Uint8Array
  readonly tokenSealed: Uint8Array
  readonly verifySealed: Uint8Array
}

export const addNumber = sql<AddedNumber, NumberRow>(
  `INSERT INTO official_numbers (instance_id, account_id, token_hash, token_sealed, verify_sealed, up)
   VALUES (:instanceId, :accountId, :tokenHash, :tokenSealed, :verifySealed, 0)
   ON CONFLICT (instance_id) DO UPDATE SET
     token_sealed = CASE WHEN official_numbers.token_hash IS NULL THEN excluded.token_sealed ELSE official_numbers.token_sealed END,
     token_hash = COALESCE(official_numbers.token_hash, excluded.token_hash)
   RETURNING ${COLUMNS}`,
)

/** Each statement returns the updated row, or nothing when its condition did not hold. */
const update = <P extends object = Record<never, never>>(change: string, condition = '') =>
  sql<Id & P, NumberRow>(
    `UPDATE official_numbers SET ${change} WHERE instance_id = :instanceId ${condition} RETURNING ${COLUMNS}`,
  )

/** Deletes the token of the page as well, so a second visitor cannot connect the number again. */
export const connect = update<{
  tokenHash: Uint8Array
  credentialsSealed: Uint8Array
  phoneNumberId: string
  wabaId: string
  number: string
  name: string | null
  facts: string
}>(
  `credentials_sealed = :credentialsSealed, phone_number_id = :phoneNumberId, waba_id = :wabaId, number = :number,
   name = :name, facts = :facts, up = 1, refused = NULL, ${NO_PAGE_TOKEN}, signup_state = NULL, signup_expires_at = NULL`,
  'AND token_hash = :tokenHash',
)
export const raise = update('up = 1', 'AND credentials_sealed IS NOT NULL')
export const rehome = update<{ accountId: string }>('account_id = :accountId, graph_version = NULL')
export const lower = update('up = 0')
export const refuse = update<{ reason: Refusal }>('refused = :reason', 'AND refused IS NULL')
export const accept = update('refused = NULL', 'AND refused IS NOT NULL')
export const rename = update<{ number: string; name: string | null }>('number = :number, name = :name')
export const setGraphVersion = update<{ version: string | null }>('graph_version = :version')
export const note = update<{ facts: string }>('facts = :facts')
export const forgetCredentials = update(
  'credentials_sealed = NULL, phone_number_id = NULL, waba_id = NULL, number = NULL, name = NULL, up = 0, refused = NULL, facts = NULL',
)

export const removeNumber = sql<Id>('DELETE FROM official_numbers WHERE instance_id = :instanceId')

export const renewToken = update(
  `${NO_PAGE_TOKEN}, signup_state = NULL, signup_expires_at = NULL`,
  'AND token_hash IS NOT NULL',
)

/** Only the hash of a state is stored. */
export const beginSignup = sql<{ tokenHash: Uint8Array; state: string; expiresAt: number }, { instanceId: InstanceId }>(
  `UPDATE official_numbers SET signup_state = :state, signup_expires_at = :expiresAt WHERE token_hash = :tokenHash
   RETURNING instance_id AS instanceId`,
)

export const signupOf = sql<{ state: string; now: number }, { accountId: AccountId }>(
  `SELECT account_id AS accountId FROM official_numbers
   WHERE signup_state = :state AND signup_expires_at > :now AND token_hash IS NOT NULL`,
)

/** Reading it uses it up. */
export const endSignup = sql<{ state: string; now: number }, { instanceId: InstanceId }>(
  `UPDATE official_numbers SET signup_state = NULL, signup_expires_at = NULL
   WHERE signup_state = :state AND signup_expires_at > :now AND token_hash IS NOT NULL RETURNING instance_id AS instanceId`,
)

export interface CallbackRow {
  readonly seq: number
  readonly instanceId: InstanceId
  readonly receivedAtMs: number
  readonly body: Uint8Array
}

export const addCallback = sql<Id & { seq: number; now: number; body: Uint8Array }>(
  `INSERT INTO official_callbacks (seq, instance_id, received_at, body) VALUES (:seq, :instanceId, :now, :body)`,
)

export const waitingSizes = sql<Id & { after: number; limit: number }, { seq: number; bytes: number }>(
  `SELECT seq, length(body) AS bytes FROM official_callbacks
   WHERE instance_id = :instanceId AND seq > :after AND problem IS NULL ORDER BY seq LIMIT :limit`,
)

export const waitingCallbacks = sqlOfList<number, Record<never, never>, CallbackRow>(
  (seqs) =>
    `SELECT seq, instance_id AS instanceId, received_at AS receivedAtMs, body FROM official_callbacks
     WHERE seq IN (${seqs})`,
)

export const removeCallback = sql<{ seq: number }>('DELETE FROM official_callbacks WHERE seq = :seq')

export const keepUnread = sql<{ seq: number; problem: string }>(
  'UPDATE official_callbacks SET problem = :problem WHERE seq = :seq',
)

export const unreadOf = sql<Id, { count: number; sinceMs: number | null }>(
  `SELECT count(*) AS count, min(received_at) AS sinceMs FROM official_callbacks
   WHERE instance_id = :instanceId AND problem IS NOT NULL`,
)

export const pruneUnread = sql<{ before: number }>(
  'DELETE FROM official_callbacks WHERE problem IS NOT NULL AND received_at < :before',
)

export const removeCallbacks = sql<Id>('DELETE FROM official_callbacks WHERE instance_id = :instanceId')

export const numberOfUser = sql<Id & { userId: string }, { number: string }>(
  'SELECT number FROM official_contacts WHERE instance_id = :instanceId AND user_id = :userId',
)

/** @returns a row only if something changed. */
export const knowUser = sql<Id & { userId: string; number: string }, { number: string }>(
  `INSERT INTO official_contacts (instance_id, user_id, number) VALUES (:instanceId, :userId, :number)
   ON CONFLICT (instance_id, user_id) DO UPDATE SET number = excluded.number
   WHERE official_contacts.number <> excluded.number RETURNING number`,
)

export const forgetUser = sql<Id & { userId: string }>(
  'DELETE FROM official_contacts WHERE instance_id = :instanceId AND user_id = :userId',
)

export const numberAt = sql<Id & { address: string }, { number: string }>(
  'SELECT number FROM official_addresses WHERE instance_id = :instanceId AND address = :address',
)
export const knowAddress = sql<Id & { address: string; number: string }>(
  `INSERT INTO official_addresses (instance_id, address, number) VALUES (:instanceId, :address, :number)
   ON CONFLICT (instance_id, address) DO NOTHING`,
)

export const removeAddresses = sql<Id>('DELETE FROM official_addresses WHERE instance_id = :instanceId')
export const removeContacts = sql<Id>('DELETE FROM official_contacts WHERE instance_id = :instanceId')

/** The origin of a person's id. */
export interface UserIdRow {
  readonly wabaId: string
  readonly portfolioId: string | null
}

export const userIdRow = sql<Id & { userId: string }, UserIdRow>(
  `SELECT waba_id AS wabaId, portfolio_id AS portfolioId FROM official_user_ids
   WHERE instance_id = :instanceId AND user_id = :userId`,
)
export const noteUserId = sql<Id & UserIdRow & { userId: string }>(
  `INSERT INTO official_user_ids (instance_id, user_id, waba_id, portfolio_id)
   VALUES (:instanceId, :userId, :wabaId, :portfolioId)
   ON CONFLICT (instance_id, user_id) DO UPDATE SET waba_id = excluded.waba_id, portfolio_id = excluded.portfolio_id`,
)
/** For ids that arrived before Meta had named the portfolio. */
export const placeUserIds = sql<Id & { wabaId: string; portfolioId: string }>(
  `UPDATE official_user_ids SET portfolio_id = :portfolioId
   WHERE instance_id = :instanceId AND waba_id = :wabaId AND portfolio_id IS NULL`,
)
export const removeUserIds = sql<Id>('DELETE FROM official_user_ids WHERE instance_id = :instanceId')
