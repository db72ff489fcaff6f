import type { Card } from '../../contract/billing.ts'
import { ApiError } from '../../contract/errors.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { BillingDeps } from './deps.ts'
import type { Tell } from './history.ts'
import type { Asked, CustomerState } from './payment-provider.ts'
import { unavailable } from './providers.ts'
import type { ProviderSettingsStore } from './settings.ts'
import { addCustomer, customerOf, parentOf, saveCard, type CustomerRow, type Mode } from './store.ts'

export interface Customers {
  find(accountId: AccountId, mode: Mode): Promise<CustomerRow | undefined>
  /** Creates the account's customer at the provider unless it exists. @throws ApiError billing_unavailable */
  ensure(accountId: AccountId): Promise<CustomerRow>
  /** Reads the card from the provider and stores it. @throws ApiError billing_unavailable */
  refresh(customer: CustomerRow): Promise<CustomerState>
  /** The time of the account's billing: in the sandbox it can be ahead. */
  nowMs(customer: Pick<CustomerRow, 'aheadMs'> | undefined): number
  /** Sub-accounts are billed by their agency. */
  isPaidByAgency(accountId: AccountId): Promise<boolean>
  /** @throws ApiError invalid_state for a sub-account. */
  requireOwnBilling(accountId: AccountId): Promise<void>
}

interface Deps extends Pick<BillingDeps, 'db' | 'clock' | 'live'> {
  readonly settings: Pick<ProviderSettingsStore, 'mode' | 'provider'>
  readonly tell: Tell
}

export function createCustomers({ db, clock, live, settings, tell }: Deps): Customers {
  const find: Customers['find'] = (accountId, mode) => db.readOne(customerOf, { accountId, mode })
  const isPaidByAgency: Customers['isPaidByAgency'] = async (accountId) =>
    ((await db.readOne(parentOf, { accountId }))?.parentId ?? null) !== null
  const nowMs: Customers['nowMs'] = (customer) => clock.now() + (customer?.aheadMs ?? 0)

  return {
    find,
    nowMs,
    async ensure(accountId) {
      const mode = await settings.mode()
      const known = await find(accountId, mode)
      if (known !== undefined) return known
      const name = (await db.readOne(parentOf, { accountId }))?.name ?? ''
      const customerId = orUnavailable(await (await settings.provider(mode)).createCustomer({ accountId, name }))
      await db.commit((tx) => tx.run(addCustomer, { accountId, mode, customerId, now: clock.now() }))
      const made = await find(accountId, mode)
      if (made === undefined) throw new Error('The customer just stored is not there')
      return made
    },

    async refresh(customer) {
      const { customerId, accountId, mode } = customer
      const state = orUnavailable(await (await settings.provider(mode)).customer(customerId))
      const card = state.card === null ? null : JSON.stringify(state.card)
      if (card === customer.card && state.methodId === customer.methodId) return state
      await db.commit(async (tx) => {
        await tx.run(saveCard, { customerId, methodId: state.methodId, card, now: clock.now() })
        const kind = card === null ? 'card_removed' : 'card_saved'
        const detail = state.card?.last4 ?? null
        const once = `${kind} ${state.methodId ?? customer.methodId ?? ''}`
        await tell(tx, { accountId, mode, kind, detail, atMs: nowMs(customer), once })
        tx.afterCommit(() => live.publish(accountId, { topic: 'billing' }))
      })
      return state
    },

    isPaidByAgency,
    async requireOwnBilling(accountId) {
      if (!(await isPaidByAgency(accountId))) return
      throw new ApiError(
        'invalid_state',
        'This account belongs to an agency, which pays for its slots. Ask the agency for more.',
      ).because('agency_pays')
    },
  }
}

/** @throws ApiError billing_unavailable unless the provider answered. */
export function orUnavailable<T>(asked: Asked<T>): T {
  if (asked.kind === 'ok') return asked.value
  if (asked.kind === 'refused') throw unavailable(`The payment provider refused the request: ${asked.message}`)
  throw unavailable('The payment provider cannot be reached. Nothing was charged; try again in a minute.')
}

/** The card as it was last read. */
export function cardOf(customer: CustomerRow | undefined, nowMs: number): Card | null {
  if (customer?.card === null || customer === undefined) return null
  // Written by `refresh`.
  const card = JSON.parse(customer.card) as Omit<Card, 'expired'>
  return { ...card, expired: expiresMs(card) <= nowMs }
}

/** The first moment at which the card is expired. */
export const expiresMs = ({ exp_month, exp_year }: Pick<Card, 'exp_month' | 'exp_year'>) =>
  Date.UTC(exp_year, exp_month, 1)
