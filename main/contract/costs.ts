import { Type, type Static } from 'typebox'
import { Currency } from './billing-words.ts'
import { Nullable, Uuid } from './shapes.ts'
import { UsageQuery } from './usage.ts'

const COST_GROUPS = ['instance', 'account', 'campaign', 'category', 'day', 'business'] as const
export type CostGroup = (typeof COST_GROUPS)[number]

export const CostQuery = Type.Object({
  ...UsageQuery.properties,
  group: Type.Optional(
    Type.Enum([...COST_GROUPS], {
      default: 'instance',
      description: 'What a row is about. `business`: the account at Meta that pays.',
    }),
  ),
  account_id: Type.Optional({ ...Uuid, description: 'Only this account: your own or a sub-account.' }),
  instance_id: Type.Optional({ ...Uuid, description: 'Only this instance.' }),
  campaign_id: Type.Optional(Type.String({ pattern: '^cmp_', maxLength: 64, description: 'Only this campaign.' })),
})

const Count = (description: string) => Type.Integer({ minimum: 0, description })

/** An amount in one currency. */
const Cost = Type.Object({
  currency: Currency,
  amount_micros: Type.Integer({ minimum: 0, description: 'In millionths of the currency: 3400 is 0.0034.' }),
})

export const CostTotals = Type.Object({
  messages: Count('Delivered messages whose price Meta reported.'),
  free: Count('Of them, those that Meta does not charge, the monthly allowance included.'),
  allowance: Count('Of the free ones, those within the monthly allowance of service messages of their number.'),
  billable: Count('Of them, those that Meta charges.'),
  unpriced: Count('Of them, those without a known price. They are not in `costs`.'),
  costs: Type.Array(Cost, { description: 'What the others cost, by currency. Empty: nothing, or nothing known.' }),
  estimated: Type.Boolean({ description: 'The costs contain example rates that the operator has not corrected.' }),
})
export type CostTotals = Static<typeof CostTotals>

export const CostRow = Type.Object({
  key: Type.String({
    description:
      'Id of the instance, account, campaign or business account, the category in Meta’s words, or the day (`YYYY-MM-DD`, UTC). Empty: none.',
  }),
  name: Nullable(
    Type.String({ description: 'Name of the instance, account or campaign. `null`: it was deleted, or has none.' }),
  ),
  account: Nullable(
    Type.Object(
      { id: Uuid, name: Type.String() },
      { description: 'Of an instance or campaign of a sub-account: that account. `null`: your own.' },
    ),
  ),
  ...CostTotals.properties,
})
export type CostRow = Static<typeof CostRow>

const Country = Type.String({
  pattern: '^([A-Z]{2}|\\*)$',
  description: 'ISO 3166 country of the person, or `*` for every country without a rate of its own.',
})
const Category = Type.String({
  pattern: '^[a-z][a-z_-]{0,63}$',
  description: 'The category in Meta’s words: `service`, `utility`, `marketing`, `authentication` and so on.',
})
const Since = Type.String({
  pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
  description: 'The first day it is valid, in UTC. It ends when the next one begins.',
})

/** Identifies a rate. */
export const RateName = { country: Country, category: Category, valid_from: Since }

export const RateRecord = Type.Object({
  ...RateName,
  currency: Currency,
  amount_micros: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000_000,
      description: 'For one message, in millionths of the currency. `null`: unknown.',
    }),
  ),
  source: Type.String({ minLength: 1, maxLength: 300, description: 'Where the rate is from.' }),
  example: Type.Boolean({ description: 'It came with the service and is only an example.' }),
})
export type RateRecord = Static<typeof RateRecord>

export const AllowanceRecord = Type.Object({
  category: Category,
  valid_from: Since,
  messages: Type.Integer({ minimum: 0, description: 'For each number and calendar month.' }),
  source: Type.String(),
})

const Micros = (description: string) => Type.Integer({ minimum: 0, description })
const budgetFields = {
  amount_micros: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000_000_000,
    description: 'In millionths of the currency: 50000000 is 50.',
  }),
  currency: Currency,
}
const WarnPercent = { minimum: 1, maximum: 100, description: 'The share at which a warning is shown. Default 80.' }

/** A spending limit for messages. */
export const BudgetInput = Type.Object(
  { ...budgetFields, warn_percent: Type.Optional(Type.Integer(WarnPercent)) },
  { additionalProperties: false },
)
export type BudgetInput = Static<typeof BudgetInput>

export const Budget = Type.Object({ ...budgetFields, warn_percent: Type.Integer(WarnPercent) })
export type Budget = Static<typeof Budget>

const WARN_PERCENT = 80
export const completeBudget = ({ amount_micros, currency, warn_percent = WARN_PERCENT }: BudgetInput): Budget => ({
  amount_micros,
  currency,
  warn_percent,
})

const BUDGET_STATES = ['below', 'warning', 'reached'] as const

/** What is spent of a budget. */
export const Spending = Type.Object({
  spent_micros: Micros('What Meta charges for delivered messages, at the current message prices.'),
  held_micros: Micros('What messages of campaigns may still cost that were sent and have no reported price yet.'),
  unknown_messages: Count('Messages whose price is unknown, or in another currency. They are in neither amount.'),
  state: Type.Enum([...BUDGET_STATES], {
    description:
      '`warning`: both amounts together are at `warn_percent` or more. `reached`: they are at the budget or more.',
  }),
})
export type Spending = Static<typeof Spending>

/** The monthly budget of an account, and how much of it is spent. */
export const AccountBudget = Type.Object({
  account_id: Uuid,
  name: Type.String(),
  month: Type.String({ description: 'The current month, `YYYY-MM`, in UTC.' }),
  budget: Nullable(Budget),
  spending: Nullable(Spending),
})
export type AccountBudget = Static<typeof AccountBudget>
