import type { Budget, Spending } from '../../contract/costs.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { allowanceShare } from './allowance.ts'
import {
  budgetOf,
  numbersCharged,
  putBudget,
  removeBudget,
  sumsOfAccount,
  sumsOfCampaign,
  type BudgetRow,
  type SumRow,
} from './budget-store.ts'
import { heldSince } from './holds.ts'
import { dayOfPrice } from './price.ts'
import { ALLOWANCES, type RateCard } from './rate-card.ts'

/** The campaign's own budget, or its account's for the month. */
type BudgetScope = 'campaign' | 'client'

/** A budget does not cover the next message. */
export interface BudgetRefusal {
  readonly by: BudgetScope
  /** What the message is expected to cost; null: unknown. */
  readonly needsMicros: number | null
}

interface Kind {
  readonly country: string
  /** null: unknown. */
  readonly category: string | null
}

/** What a campaign may still send, according to one commit. */
export interface BudgetLimits {
  /** null if the budgets cover the message. */
  refusalOf(message: Kind): BudgetRefusal | null
  /** Counts a message that is sent in the same commit. */
  take(message: Kind): void
  /** Whether a budget that refused a message covers it now. */
  covers(refusal: BudgetRefusal): boolean
  /** null: the campaign has no budget. */
  readonly campaign: Spending | null
}

interface CampaignScope {
  readonly accountId: AccountId
  readonly campaignId: string
  /** null: no budget. */
  readonly budget: Budget | null
}

type Read = Pick<Tx, 'one' | 'all'>
type FreeMessages = ReadonlyMap<string, number>

interface BudgetsDeps {
  readonly db: Pick<Db, 'read' | 'readOne' | 'commit'>
  readonly clock: Pick<Clock, 'now' | 'mono'>
  readonly cardOf: (read: Pick<Read, 'all'>) => Promise<RateCard>
}

/** How long a count of free messages is cached. An outdated count can only be too low. */
const FREE_KNOWN_MS = 60_000
const PERCENT = 100

export const monthOf = (nowMs: number): string => dayOfPrice(nowMs).slice(0, 7)

export type Budgets = ReturnType<typeof createBudgets>

/**
 * Budgets and the amounts spent. Spent messages are those that the meter has counted, at the rates of the rate card,
 * as in the cost report. Messages that were sent and not counted yet are reserved at their expected price.
 *
 * A campaign counts every charged message at its rate. The monthly allowance is not split among campaigns, because
 * the answers of a later hour of the same day change how it is split. An account counts its part of the allowance as
 * free.
 */
export function createBudgets({ db, clock, cardOf }: BudgetsDeps) {
  const read: Read = { one: db.readOne, all: db.read }
  const free = new Map<string, { readonly month: string; readonly atMono: number; readonly messages: FreeMessages }>()
  const changed: ((tx: Tx, accountId: AccountId) => Promise<void>)[] = []

  /** Messages of the account that its numbers' allowances cover this month, by day, country and category. */
  async function countFree(accountId: AccountId, month: string): Promise<FreeMessages> {
    const messages = new Map<string, number>()
    const span = { from: `${month}-01`, to: `${month}-31` }
    for (const category of new Set(ALLOWANCES.map((allowance) => allowance.category)))
      for (const { numberId } of await db.read(numbersCharged, { accountId, category, ...span }))
        for (const { row, taken } of await allowanceShare(db, numberId, category, month))
          if (row.accountId === accountId) messages.set(nameOf(row), (messages.get(nameOf(row)) ?? 0) + taken)
    return messages
  }

  /** Counts free messages if the last count is old. Without a count, the budget assumes that there are none. */
  async function prepare(accountId: AccountId, knownMs = FREE_KNOWN_MS): Promise<void> {
    if ((await db.readOne(budgetOf, { accountId })) === undefined) return
    const month = monthOf(clock.now())
    const known = free.get(accountId)
    if (known?.month === month && clock.mono() - known.atMono < knownMs) return
    const atMono = clock.mono()
    free.set(accountId, { month, atMono, messages: await countFree(accountId, month) })
  }

  async function sumOfAccount(from: Read, card: RateCard, budget: BudgetRow): Promise<BudgetSum> {
    const { accountId } = budget
    const now = clock.now()
    const month = monthOf(now)
    const [firstDay, held] = [`${month}-01`, heldSince(now)]
    const days = { from: held < firstDay ? held : firstDay, month: firstDay, heldSince: held }
    const known = free.get(accountId)
    const rows = await from.all(sumsOfAccount, { accountId, ...days })
    return sumUp(rows, toBudget(budget), card, dayOfPrice(now), known?.month === month ? known.messages : new Map())
  }

  async function sumOfCampaign(from: Read, card: RateCard, campaignId: string, budget: Budget): Promise<BudgetSum> {
    const now = clock.now()
    const rows = await from.all(sumsOfCampaign, { campaignId, heldSince: heldSince(now) })
    return sumUp(rows, budget, card, dayOfPrice(now), new Map())
  }

  async function limitsOf(from: Read, { accountId, campaignId, budget }: CampaignScope): Promise<BudgetLimits> {
    const ofAccount = await from.one(budgetOf, { accountId })
    const sums = new Map<BudgetScope, BudgetSum>()
    if (budget === null && ofAccount === undefined) return limitsBy(sums)
    const card = await cardOf(from)
    if (budget !== null) sums.set('campaign', await sumOfCampaign(from, card, campaignId, budget))
    if (ofAccount !== undefined) sums.set('client', await sumOfAccount(from, card, ofAccount))
    return limitsBy(sums)
  }

  async function write(accountId: AccountId, budget: Budget | null): Promise<void> {
    await db.commit(async (tx) => {
      if (budget === null) await tx.run(removeBudget, { accountId })
      else {
        const { amount_micros: amountMicros, currency, warn_percent: warnPercent } = budget
        await tx.run(putBudget, { accountId, amountMicros, currency, warnPercent, now: clock.now() })
      }
      for (const listener of changed) await listener(tx, accountId)
    })
  }

  return {
    prepare,

    /** Whether the count by `prepare` is recent. */
    isPrepared(accountId: AccountId): boolean {
      const known = free.get(accountId)
      return known?.month === monthOf(clock.now()) && clock.mono() - known.atMono < FREE_KNOWN_MS
    },
    limitsOf,

    /** Called in the commit that sets or removes the budget of an account. */
    onChange: (listener: (tx: Tx, accountId: AccountId) => Promise<void>): void => void changed.push(listener),

    setOfAccount: (accountId: AccountId, budget: Budget) => write(accountId, budget),
    removeOfAccount: (accountId: AccountId) => write(accountId, null),

    async accountDeleted(tx: Tx, accountId: AccountId): Promise<void> {
      await tx.run(removeBudget, { accountId })
    },

    async ofAccount(accountId: AccountId): Promise<{ budget: Budget; spending: Spending } | null> {
      await prepare(accountId)
      const budget = await db.readOne(budgetOf, { accountId })
      if (budget === undefined) return null
      const sum = await sumOfAccount(read, await cardOf(read), budget)
      return { budget: toBudget(budget), spending: sum.spending() }
    },

    async ofCampaign(campaignId: string, budget: Budget): Promise<Spending> {
      return (await sumOfCampaign(read, await cardOf(read), campaignId, budget)).spending()
    },
  }
}

interface BudgetSum {
  spending(): Spending
  /** null: unknown. */
  priceOf(message: Kind): number | null
  take(message: Kind): void
  hasRoomFor(micros: number | null): boolean
}

function sumUp(rows: readonly SumRow[], budget: Budget, card: RateCard, today: string, free: FreeMessages): BudgetSum {
  let [spent, held, unknown] = [0, 0, 0]
  const { amount_micros: amount, currency, warn_percent: warnPercent } = budget
  const rateOf = ({ country, category }: Kind, day: string): number | null => {
    if (category === null || category === '') return null
    const rate = card.rateOf(country, category, day)
    // Amounts in two currencies cannot be added.
    return rate?.currency === currency ? rate.micros : null
  }
  for (const row of rows) {
    const isHeld = row.kind === 'held'
    const messages = isHeld ? row.messages : Math.max(0, row.messages - (free.get(nameOf(row)) ?? 0))
    const micros = row.kind === 'unknown' ? null : rateOf(row, isHeld ? today : row.day)
    if (micros === null) unknown += messages
    else if (isHeld) held += messages * micros
    else spent += messages * micros
  }
  const stateOf = (used: number): Spending['state'] => {
    if (used >= amount) return 'reached'
    return used * PERCENT >= amount * warnPercent ? 'warning' : 'below'
  }
  return {
    spending: () => ({
      spent_micros: spent,
      held_micros: held,
      unknown_messages: unknown,
      state: stateOf(spent + held),
    }),
    priceOf: (message) => rateOf(message, today),
    take(message) {
      const micros = rateOf(message, today)
      if (micros === null) unknown++
      else held += micros
    },
    // A message with an unknown price is allowed while the budget is not used up.
    hasRoomFor: (micros) => (micros === null ? spent + held < amount : micros === 0 || spent + held + micros <= amount),
  }
}

function limitsBy(sums: ReadonlyMap<BudgetScope, BudgetSum>): BudgetLimits {
  return {
    refusalOf(message) {
      for (const [by, sum] of sums) {
        const needsMicros = sum.priceOf(message)
        if (!sum.hasRoomFor(needsMicros)) return { by, needsMicros }
      }
      return null
    },
    take(message) {
      for (const sum of sums.values()) sum.take(message)
    },
    covers: ({ by, needsMicros }) => sums.get(by)?.hasRoomFor(needsMicros) ?? true,
    get campaign() {
      return sums.get('campaign')?.spending() ?? null
    },
  }
}

const toBudget = ({ amountMicros, currency, warnPercent }: BudgetRow): Budget => ({
  amount_micros: amountMicros,
  currency,
  warn_percent: warnPercent,
})

const nameOf = ({ day, country, category }: Pick<SumRow, 'day' | 'country' | 'category'>): string =>
  `${day} ${country} ${category}`
