import type { AccountId, InstanceId } from '../../../kernel/ids.ts'
import { sql } from '../../../kernel/sql.ts'

/** A number as the simulated Meta knows it. */
export interface GraphNumberRow {
  readonly phoneNumberId: string
  /** The instance that holds the number on the simulated network. */
  readonly instanceId: InstanceId
  readonly accountId: AccountId
  readonly wabaId: string
  readonly portfolioId: string
  readonly number: string
  readonly name: string
  /** `GREEN`, `YELLOW`, `RED` or `UNKNOWN`. */
  readonly quality: string
  readonly accessToken: string
  readonly appSecret: string
  readonly callbackUrl: string | null
  readonly subscribed: number
  readonly registered: number
  readonly tokenDead: number
}

/** With the scope of the user ids in its portfolio. */
export interface GraphNumber extends GraphNumberRow {
  readonly userScope?: string
}

const COLUMNS = `phone_number_id AS phoneNumberId, instance_id AS instanceId, account_id AS accountId,
  waba_id AS wabaId, portfolio_id AS portfolioId, number, name, quality, access_token AS accessToken, app_secret AS appSecret, callback_url AS callbackUrl,
  subscribed, registered, token_dead AS tokenDead`

export const allGraphNumbers = sql<Record<never, never>, GraphNumberRow>(`SELECT ${COLUMNS} FROM sandbox_graph_numbers`)

export const putGraphNumber = sql<{ [K in keyof GraphNumberRow]: GraphNumberRow[K] }>(
  `INSERT INTO sandbox_graph_numbers (phone_number_id, instance_id, account_id, waba_id, portfolio_id, number, name,
     quality, access_token, app_secret, callback_url, subscribed, registered, token_dead)
   VALUES (:phoneNumberId, :instanceId, :accountId, :wabaId, :portfolioId, :number, :name, :quality, :accessToken,
     :appSecret, :callbackUrl, :subscribed, :registered, :tokenDead)
   ON CONFLICT (phone_number_id) DO UPDATE SET callback_url = excluded.callback_url, subscribed = excluded.subscribed,
     registered = excluded.registered, token_dead = excluded.token_dead, access_token = excluded.access_token,
     quality = excluded.quality`,
)

export interface Portfolio {
  readonly id: string
  readonly accountId: AccountId
  /** null: Meta does not report it. */
  readonly messagingLimit: string | null
}

export const portfolioById = sql<{ id: string }, Portfolio>(
  `SELECT id, account_id AS accountId, messaging_limit AS messagingLimit FROM sandbox_graph_portfolios WHERE id = :id`,
)

export const addPortfolio = sql<{ id: string; accountId: string; messagingLimit: string | null }>(
  `INSERT INTO sandbox_graph_portfolios (id, account_id, messaging_limit) VALUES (:id, :accountId, :messagingLimit)
   ON CONFLICT (id) DO NOTHING`,
)

export const limitPortfolio = sql<{ id: string; messagingLimit: string | null }>(
  'UPDATE sandbox_graph_portfolios SET messaging_limit = :messagingLimit WHERE id = :id',
)

type Person = { portfolioId: string; recipient: string }

export const reachedAt = sql<Person, { at: number }>(
  'SELECT at FROM sandbox_graph_reached WHERE portfolio_id = :portfolioId AND recipient = :recipient',
)

export const countReached = sql<{ portfolioId: string; since: number }, { people: number }>(
  'SELECT COUNT(*) AS people FROM sandbox_graph_reached WHERE portfolio_id = :portfolioId AND at > :since',
)

export const putReached = sql<Person & { at: number }>(
  `INSERT INTO sandbox_graph_reached (portfolio_id, recipient, at) VALUES (:portfolioId, :recipient, :at)
   ON CONFLICT (portfolio_id, recipient) DO UPDATE SET at = excluded.at`,
)

export const removeReached = sql<Person>(
  'DELETE FROM sandbox_graph_reached WHERE portfolio_id = :portfolioId AND recipient = :recipient',
)

export interface Sent {
  readonly wamid: string
  readonly recipient: string
  readonly opaque: string | null
  /** The category that Meta charges for. */
  readonly category: string
  readonly priceType: string
}

export const addSent = sql<Sent & { now: number }>(
  `INSERT INTO sandbox_graph_sent (wamid, recipient, opaque, category, price_type, sent_at)
   VALUES (:wamid, :recipient, :opaque, :category, :priceType, :now) ON CONFLICT (wamid) DO NOTHING`,
)

export const sentByWamid = sql<{ wamid: string }, Sent>(
  `SELECT wamid, recipient, opaque, category, price_type AS priceType FROM sandbox_graph_sent WHERE wamid = :wamid`,
)

/**
 * The first status after `sent` carries the price, even when that status is repeated. @returns a row if it is this
 * one.
 */
export const priceWith = sql<{ wamid: string; status: string }, { wamid: string }>(
  `UPDATE sandbox_graph_sent SET priced_with = :status
   WHERE wamid = :wamid AND COALESCE(priced_with, :status) = :status RETURNING wamid`,
)

export const pruneSent = sql<{ before: number }>('DELETE FROM sandbox_graph_sent WHERE sent_at < :before')

type Entry = { phoneNumberId: string; person: string }

export const openEntry = sql<Entry & { now: number }>(
  `INSERT INTO sandbox_graph_entries (phone_number_id, person, opened_at) VALUES (:phoneNumberId, :person, :now)
   ON CONFLICT (phone_number_id, person) DO UPDATE SET opened_at = excluded.opened_at, answered_at = NULL`,
)

/** The first answer in time opens the free window. @returns a row while the window is open. */
export const answerEntry = sql<Entry & { now: number; openedAfter: number; answeredAfter: number }, { at: number }>(
  `UPDATE sandbox_graph_entries SET answered_at = COALESCE(answered_at, :now)
   WHERE phone_number_id = :phoneNumberId AND person = :person
     AND (answered_at > :answeredAfter OR (answered_at IS NULL AND opened_at > :openedAfter))
   RETURNING answered_at AS at`,
)

export const pruneEntries = sql<{ before: number }>('DELETE FROM sandbox_graph_entries WHERE opened_at < :before')

export interface Uploaded {
  readonly phoneNumberId: string
  readonly mimeType: string
  readonly bytes: Uint8Array
}

export const addUploaded = sql<Uploaded & { id: string; now: number }>(
  `INSERT INTO sandbox_graph_media (id, phone_number_id, mime_type, bytes, created_at)
   VALUES (:id, :phoneNumberId, :mimeType, :bytes, :now)`,
)

export const uploadedById = sql<{ id: string }, Uploaded>(
  'SELECT phone_number_id AS phoneNumberId, mime_type AS mimeType, bytes FROM sandbox_graph_media WHERE id = :id',
)

export const pruneUploaded = sql<{ before: number }>('DELETE FROM sandbox_graph_media WHERE created_at < :before')
