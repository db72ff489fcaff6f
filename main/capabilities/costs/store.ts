import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { PriceKind } from './price.ts'

/** What is known about the price of a message. */
export interface PriceRow {
  readonly messageId: string
  readonly accountId: string
  readonly instanceId: string
  /** '' for messages outside campaigns. */
  readonly campaignId: string
  readonly numberId: string
  readonly businessId: string
  /** ISO 3166; '' if the number has no country. */
  readonly country: string
  readonly category: string | null
  readonly type: string | null
  readonly model: string | null
  readonly billable: 0 | 1 | null
  readonly certainty: number
  /** Earliest delivery time that the network reported; null: not delivered. */
  readonly deliveredAtMs: number | null
}

export const priceOfMessage = sql<{ messageId: string }, PriceRow>(
  `SELECT message_id AS messageId, account_id AS accountId, instance_id AS instanceId, campaign_id AS campaignId,
     number_id AS numberId, business_id AS businessId, country, category, price_type AS type, model, billable, certainty,
     delivered_at AS deliveredAtMs
   FROM message_prices WHERE message_id = :messageId`,
)

export const putPrice = sql<{ [K in keyof PriceRow]: PriceRow[K] }>(
  `INSERT INTO message_prices (message_id, account_id, instance_id, campaign_id, number_id, business_id, country, category,
     price_type, model, billable, certainty, delivered_at)
   VALUES (:messageId, :accountId, :instanceId, :campaignId, :numberId, :businessId, :country, :category, :type, :model,
     :billable, :certainty, :deliveredAtMs)
   ON CONFLICT (message_id) DO UPDATE SET category = excluded.category, price_type = excluded.price_type,
     model = excluded.model, billable = excluded.billable, certainty = excluded.certainty,
     delivered_at = excluded.delivered_at`,
)

/** The row in which messages are counted. */
export interface CountPlace {
  readonly accountId: string
  readonly day: string
  readonly instanceId: string
  readonly campaignId: string
  readonly numberId: string
  readonly businessId: string
  readonly country: string
  /** '' if the network named none. */
  readonly category: string
  readonly kind: PriceKind
}

export const addToCount = sql<{ [K in keyof CountPlace]: CountPlace[K] } & { messages: number }>(
  `INSERT INTO price_counts (account_id, day, instance_id, campaign_id, number_id, business_id, country, category, kind,
     messages)
   VALUES (:accountId, :day, :instanceId, :campaignId, :numberId, :businessId, :country, :category, :kind, :messages)
   ON CONFLICT (account_id, day, instance_id, campaign_id, number_id, business_id, country, category, kind)
   DO UPDATE SET messages = price_counts.messages + excluded.messages`,
)

export const ownerOf = sql<{ id: string }, { accountId: AccountId }>(
  'SELECT account_id AS accountId FROM instances WHERE id = :id',
)

export interface CountRow extends CountPlace {
  readonly messages: number
}

const COUNT_COLUMNS = `account_id AS accountId, day, instance_id AS instanceId, campaign_id AS campaignId,
  number_id AS numberId, business_id AS businessId, country, category, kind, messages`

/**
 * In primary-key order after the position. With a first day as an extra condition, SQLite would search from that day
 * for every portion.
 */
export const countsAfter = sql<
  {
    accountId: string
    to: string
    afterDay: string
    afterInstance: string
    afterCampaign: string
    afterNumber: string
    afterBusiness: string
    afterCountry: string
    afterCategory: string
    afterKind: string
    rows: number
  },
  CountRow
>(
  `SELECT ${COUNT_COLUMNS} FROM price_counts
   WHERE account_id = :accountId AND day <= :to
     AND (day, instance_id, campaign_id, number_id, business_id, country, category, kind)
       > (:afterDay, :afterInstance, :afterCampaign, :afterNumber, :afterBusiness, :afterCountry, :afterCategory, :afterKind)
   ORDER BY day, instance_id, campaign_id, number_id, business_id, country, category, kind LIMIT :rows`,
)

export const countsOfCampaign = sql<{ campaignId: string; from: string; to: string }, CountRow>(
  `SELECT ${COUNT_COLUMNS} FROM price_counts
   WHERE campaign_id = :campaignId AND campaign_id <> '' AND day >= :from AND day <= :to`,
)

/** Rows of a category in a month, in the order in which they use up the allowance. */
export const chargedOfNumber = sql<{ numberId: string; category: string; from: string; to: string }, CountRow>(
  `SELECT ${COUNT_COLUMNS} FROM price_counts
   WHERE number_id = :numberId AND category = :category AND day >= :from AND day <= :to AND kind = 'charged'
   ORDER BY day, campaign_id, account_id, instance_id, business_id, country`,
)

export const chargedInMonth = sql<
  { numberId: string; category: string; from: string; to: string },
  { messages: number | null }
>(
  `SELECT SUM(messages) AS messages FROM price_counts
   WHERE number_id = :numberId AND category = :category AND day >= :from AND day <= :to AND kind = 'charged'`,
)

export interface RateRow {
  readonly country: string
  readonly category: string
  readonly validFrom: string
  readonly currency: string
  readonly micros: number | null
  readonly source: string
}

/** A few hundred rows at most, for countries and categories. */
export const allRates = sql<Record<never, never>, RateRow>(
  `SELECT country, category, valid_from AS validFrom, currency, micros, source FROM message_rates
   ORDER BY country, category, valid_from`,
)

export const putRate = sql<{ [K in keyof RateRow]: RateRow[K] }>(
  `INSERT INTO message_rates (country, category, valid_from, currency, micros, source)
   VALUES (:country, :category, :validFrom, :currency, :micros, :source)
   ON CONFLICT (country, category, valid_from) DO UPDATE SET currency = excluded.currency, micros = excluded.micros,
     source = excluded.source`,
)

export const removeRate = sql<Pick<RateRow, 'country' | 'category' | 'validFrom'>>(
  'DELETE FROM message_rates WHERE country = :country AND category = :category AND valid_from = :validFrom',
)
