import { ApiError } from '../../contract/errors.ts'
import { completeBudget, type AccountBudget, type RateRecord } from '../../contract/costs.ts'
import type { Principal } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { shiftDate } from '../../kernel/time-zone.ts'
import type { Existence, Handlers } from '../handler.ts'
import type { costsContract } from './contract.ts'
import { ALLOWANCES, dayOfPrice, monthOf, type Costs } from './index.ts'
import type { Rate } from './rate-card.ts'
import { namesOf } from './names.ts'
import { nameOfAccount } from './budget-store.ts'
import { putRate, removeRate } from './store.ts'

export interface CostsHandlerDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'mono'>
  readonly costs: Costs
  /** The account and its sub-accounts, or only the named one. @throws ApiError not_found */
  readonly family: (accountId: AccountId, only: string | undefined) => Promise<readonly AccountId[]>
}

const DEFAULT_DAYS = 30

export function costsHandlers({ db, clock, costs, family }: CostsHandlerDeps): Handlers<typeof costsContract> {
  /** @throws ApiError not_found for an account that is not a sub-account of the caller. */
  async function clientOf(own: AccountId, id: string): Promise<AccountId> {
    const [found] = id.toLowerCase() === own ? [] : await family(own, id)
    if (found !== undefined) return found
    throw noSubAccount()
  }

  async function budgetRecord(accountId: AccountId): Promise<AccountBudget> {
    const { budget, spending } = (await costs.budgets.ofAccount(accountId)) ?? { budget: null, spending: null }
    const name = (await db.readOne(nameOfAccount, { accountId }))?.name ?? ''
    return { account_id: accountId, name, month: monthOf(clock.now()), budget, spending }
  }

  return {
    async listMessageBudgets({ principal, query }) {
      const data: AccountBudget[] = []
      for (const accountId of await family(principal.accountId, query.account_id))
        data.push(await budgetRecord(accountId))
      return { data }
    },
    async setMessageBudget({ principal, params, body }) {
      const accountId = await clientOf(principal.accountId, params.account_id)
      await costs.budgets.setOfAccount(accountId, completeBudget(body))
      return budgetRecord(accountId)
    },
    async removeMessageBudget({ principal, params }) {
      await costs.budgets.removeOfAccount(await clientOf(principal.accountId, params.account_id))
      return undefined
    },
    async getMessageCosts({ principal, query }) {
      const { to = dayOfPrice(clock.now()), group = 'instance' } = query
      const { from = shiftDate(to, 1 - DEFAULT_DAYS), campaign_id: campaignId } = query
      const instanceId = query.instance_id?.toLowerCase()
      if (from > to) throw new ApiError('validation_error', 'from must not be later than to.').because('times_order')
      const { accountId: own, allowedInstanceIds: allowed } = principal
      // A key restricted to instances must not see sub-accounts.
      if (allowed !== null && (query.account_id ?? own).toLowerCase() !== own)
        throw new ApiError('not_found', 'account_id names another account than that of this key.').because(
          'chosen_gone',
          {
            field: 'account_id',
          },
        )
      const accountIds = await family(own, allowed === null ? query.account_id : own)
      const instanceIds = allowed === null ? null : new Set(allowed)
      const { data, totals } = await costs.report({ accountIds, from, to, instanceId, campaignId, instanceIds }, group)
      const names = await namesOf(
        db,
        group,
        data.map(({ key }) => key),
      )
      const namesIn = (key: string) => {
        const found = names.get(key)
        const isOfOther = found !== undefined && group !== 'account' && found.accountId !== own
        return {
          name: found?.name ?? null,
          account: isOfOther ? { id: found.accountId, name: found.accountName } : null,
        }
      }
      return { data: data.map(({ key, ...row }) => ({ key, ...namesIn(key), ...row })), totals }
    },
    async listMessageRates() {
      const { rates } = await costs.card()
      const order = ({ country, category, validFrom }: Rate) => `${country} ${category} ${validFrom}`
      return {
        data: rates.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)).map(toRecord),
        allowances: ALLOWANCES.map(({ category, validFrom, messages, source }) => ({
          ...{ category, valid_from: validFrom, messages, source },
        })),
      }
    },
    async setMessageRate({ body }) {
      const { country, category, valid_from: validFrom, currency, amount_micros: micros, source } = body
      const rate = { country, category, validFrom, currency, micros, source }
      await db.commit((tx) => tx.run(putRate, rate))
      return toRecord({ ...rate, isExample: false })
    },
    async removeMessageRate({ query: { country, category, valid_from: validFrom } }) {
      await db.commit((tx) => tx.run(removeRate, { country, category, validFrom }))
      return undefined
    },
  }
}

export function costsExistence({ family }: Pick<CostsHandlerDeps, 'family'>): Existence<typeof costsContract> {
  const exists = async ({ accountId }: Principal, { account_id: id }: { readonly account_id: string }) => {
    if (id.toLowerCase() === accountId) throw noSubAccount()
    await family(accountId, id)
  }
  return { setMessageBudget: exists, removeMessageBudget: exists }
}

const noSubAccount = () => new ApiError('not_found', 'There is no sub-account with this id.')

const toRecord = ({ country, category, validFrom, currency, micros, source, isExample }: Rate): RateRecord => ({
  ...{ country, category, valid_from: validFrom, currency, amount_micros: micros, source, example: isExample },
})
