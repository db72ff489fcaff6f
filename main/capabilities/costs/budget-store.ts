import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

/** `held`: sent, and its price is not reported yet. */
type SumKind = 'held' | 'charged' | 'unknown'

interface SumPlace {
  readonly accountId: string
  readonly day: string
  /** '' for messages outside campaigns. */
  readonly campaignId: string
  readonly country: string
  /** '' if unknown. */
  readonly category: string
  readonly kind: SumKind
}

export const addToSum = sql<{ [K in keyof SumPlace]: SumPlace[K] } & { messages: number }>(
  `INSERT INTO price_sums (account_id, day, campaign_id, country, category, kind, messages)
   VALUES (:accountId, :day, :campaignId, :country, :category, :kind, :messages)
   ON CONFLICT (account_id, day, campaign_id, country, category, kind)
   DO UPDATE SET messages = price_sums.messages + excluded.messages`,
)

export type SumRow = Pick<SumPlace, 'day' | 'country' | 'category' | 'kind'> & { readonly messages: number }

/** @param heldSince older messages are no longer charged. */
export const sumsOfAccount = sql<{ accountId: string; from: string; month: string; heldSince: string }, SumRow>(
  `SELECT day, country, category, kind, SUM(messages) AS messages FROM price_sums
   WHERE account_id = :accountId AND day >= :from
     AND ((kind = 'held' AND day >= :heldSince) OR (kind <> 'held' AND day >= :month))
   GROUP BY day, country, category, kind HAVING SUM(messages) > 0`,
)

export const sumsOfCampaign = sql<{ campaignId: string; heldSince: string }, SumRow>(
  `SELECT day, country, category, kind, SUM(messages) AS messages FROM price_sums
   WHERE campaign_id = :campaignId AND campaign_id <> '' AND (kind <> 'held' OR day >= :heldSince)
   GROUP BY day, country, category, kind HAVING SUM(messages) > 0`,
)

export interface HoldRow {
  readonly sendKey: string
  readonly accountId: string
  readonly campaignId: string
  readonly day: string
  readonly country: string
  readonly category: string | null
}

export const insertHold = sql<{ [K in keyof HoldRow]: HoldRow[K] }>(
  `INSERT INTO price_holds (send_key, account_id, campaign_id, day, country, category)
   VALUES (:sendKey, :accountId, :campaignId, :day, :country, :category) ON CONFLICT (send_key) DO NOTHING`,
)

const HOLD = 'send_key AS sendKey, account_id AS accountId, campaign_id AS campaignId, day, country, category'
export const holdOf = sql<{ sendKey: string }, HoldRow>(`SELECT ${HOLD} FROM price_holds WHERE send_key = :sendKey`)
export const holdsBefore = sql<{ day: string; rows: number }, HoldRow>(
  `SELECT ${HOLD} FROM price_holds WHERE day < :day ORDER BY day LIMIT :rows`,
)
export const removeHold = sql<{ sendKey: string }>('DELETE FROM price_holds WHERE send_key = :sendKey')

export interface BudgetRow {
  readonly accountId: AccountId
  readonly amountMicros: number
  readonly currency: string
  readonly warnPercent: number
  /** `YYYY-MM` */
  readonly warnedMonth: string | null
}

const BUDGET = `account_id AS accountId, amount_micros AS amountMicros, currency, warn_percent AS warnPercent,
  warned_month AS warnedMonth`

export const budgetOf = sql<{ accountId: string }, BudgetRow>(
  `SELECT ${BUDGET} FROM message_budgets WHERE account_id = :accountId`,
)

export const nameOfAccount = sql<{ accountId: string }, { name: string }>(
  'SELECT name FROM accounts WHERE id = :accountId',
)

/** Budgets without a warning this month. */
export const budgetsAfter = sql<{ after: string; month: string; rows: number }, BudgetRow>(
  `SELECT ${BUDGET} FROM message_budgets
   WHERE account_id > :after AND (warned_month IS NULL OR warned_month <> :month) ORDER BY account_id LIMIT :rows`,
)

export const putBudget = sql<Omit<BudgetRow, 'warnedMonth'> & { now: number }>(
  `INSERT INTO message_budgets (account_id, amount_micros, currency, warn_percent, updated_at)
   VALUES (:accountId, :amountMicros, :currency, :warnPercent, :now)
   ON CONFLICT (account_id) DO UPDATE SET amount_micros = excluded.amount_micros, currency = excluded.currency,
     warn_percent = excluded.warn_percent, warned_month = NULL, warned_at = NULL, updated_at = excluded.updated_at`,
)

export const removeBudget = sql<{ accountId: string }>('DELETE FROM message_budgets WHERE account_id = :accountId')

/** Changes nothing if the warning was already sent. */
export const markWarned = sql<{ accountId: string; month: string; now: number }>(
  `UPDATE message_budgets SET warned_month = :month, warned_at = :now
   WHERE account_id = :accountId AND (warned_month IS NULL OR warned_month <> :month)`,
)

/** The account itself and its sub-accounts. */
export const warnedBudgets = sql<
  { accountId: string; month: string },
  { id: AccountId; name: string; sinceMs: number; count: number }
>(
  `SELECT a.id, a.name, b.warned_at AS sinceMs, 1 AS count FROM accounts a JOIN message_budgets b ON b.account_id = a.id
   WHERE a.parent_account_id = :accountId AND a.deleted_at IS NULL AND b.warned_month = :month
   UNION ALL
   SELECT a.id, a.name, b.warned_at AS sinceMs, 1 AS count FROM accounts a JOIN message_budgets b ON b.account_id = a.id
   WHERE a.id = :accountId AND b.warned_month = :month`,
)

/** Numbers whose messages of a category were charged to the account. */
export const numbersCharged = sql<
  { accountId: string; from: string; to: string; category: string },
  { numberId: string }
>(
  `SELECT DISTINCT number_id AS numberId FROM price_counts
   WHERE account_id = :accountId AND day >= :from AND day <= :to AND category = :category AND kind = 'charged'`,
)
