import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Principal } from '../../kernel/access.ts'
import type { Db } from '../../kernel/db.ts'
import { seqPage } from '../../kernel/list-page.ts'
import type { Cursors } from '../../kernel/page.ts'
import { answerOfCreated, type Call, type Existence, type Handlers } from '../handler.ts'
import type { billingContract } from './contract.ts'
import { toEntry } from './history.ts'
import type { Billing } from './index.ts'
import { toPurchase } from './record.ts'
import { historyPage, orderById, purchasesPage, type OrderRow } from './store.ts'

interface HandlerDeps {
  readonly db: Db
  readonly cursors: Cursors
  readonly billing: Billing
}

interface Page {
  readonly limit?: number
  readonly cursor?: string
}

export function billingHandlers({ db, cursors, billing }: HandlerDeps): Handlers<typeof billingContract> {
  /** A page of invoices. The provider pages by the id of the last one. */
  async function invoicesOf(
    list: string,
    { limit = LIMITS.pageSizeDefault, cursor }: Page,
    read: (page: { after: string | undefined; rows: number }) => ReturnType<Billing['invoices']>,
  ) {
    const after = cursor === undefined ? undefined : String(cursors.decode(list, cursor)[0])
    const { invoices, hasMore } = await read({ after, rows: Math.min(limit, 100) })
    const last = hasMore ? invoices.at(-1) : undefined
    return {
      data: [...invoices],
      next_cursor: last === undefined ? null : cursors.encode(list, [last.id]),
      has_more: last !== undefined,
    }
  }

  return {
    listBillingPlans: ({ principal }) => billing.catalogue(principal.accountId),
    getSubscription: ({ principal }) => billing.subscription(principal.accountId),
    async listPurchases({ principal: { accountId }, query }) {
      const mode = await billing.settings.mode()
      return seqPage(
        cursors,
        `purchases:${accountId}:${mode}`,
        query,
        ({ before, rows }) => db.read(purchasesPage, { accountId, mode, beforeSeq: before, rows }),
        toPurchase,
      )
    },
    getPurchase: async ({ principal, params }) => toPurchase(await getOrder(db, principal, params.purchase_id)),
    createPurchase: async (call) => answerOfCreated(await billing.purchase({ ...callerOf(call), body: call.body })),
    createCheckout: async (call) =>
      answerOfCreated(await billing.checkouts.create({ ...callerOf(call), body: call.body })),
    getCheckout: ({ principal, params }) => billing.checkouts.get(principal.accountId, params.checkout_id),

    getBillingOverview: ({ principal }) => billing.overview(principal.accountId),
    previewPurchase: ({ principal, body }) => billing.preview(principal.accountId, body),
    listInvoices: ({ principal: { accountId }, query }) =>
      invoicesOf(`invoices:${accountId}`, query, (page) => billing.invoices(accountId, page)),
    async listBillingHistory({ principal: { accountId }, query }) {
      const mode = await billing.settings.mode()
      return seqPage(
        cursors,
        `billing-history:${accountId}:${mode}`,
        query,
        ({ before, rows }) => db.read(historyPage, { accountId, mode, beforeSeq: before, rows }),
        toEntry,
      )
    },
    createPortalSession: ({ principal }) => billing.portal(principal.accountId),
    createCardSetup: ({ principal }) => billing.setupCard(principal.accountId),
    async removeCard({ principal }) {
      await billing.cards.remove(principal.accountId)
      return undefined
    },
    updateSubscription: ({ principal: { accountId }, body: { cancel_at_period_end: ends } }) =>
      ends === undefined ? billing.subscription(accountId) : billing.endPlan(accountId, ends),

    getBillingProvider: () => billing.settings.view(),
    updateBillingProvider: ({ body }) => billing.settings.update(body),
    checkBillingProvider: () => billing.settings.check(),

    getAgencyBilling: ({ principal }) => billing.clients.settings(principal.accountId),
    updateAgencyBilling: ({ principal, body }) => billing.clients.changeSettings(principal.accountId, body),
    getClientBilling: ({ principal, params }) => billing.clients.get(principal.accountId, params.account_id),
    setClientBilling: ({ principal, params, body }) =>
      billing.clients.set(principal.accountId, params.account_id, body),
    async removeClientBilling({ principal, params }) {
      await billing.clients.remove(principal.accountId, params.account_id)
      return undefined
    },
    listClientInvoices: ({ principal: { accountId }, params: { account_id: id }, query }) =>
      invoicesOf(`client-invoices:${accountId}:${id}`, query, (page) => billing.clients.invoices(accountId, id, page)),

    getSandboxBillingClock: ({ principal }) => billing.sandbox.clock(principal.accountId),
    advanceSandboxBillingClock: ({ principal, body }) => billing.sandbox.advance(principal.accountId, body.days),
    async causeSandboxBillingFault({ principal, body: { kind, times = 1 } }) {
      await billing.sandbox.fail(principal.accountId, kind, times)
      return { kind, times }
    },
    setSandboxCard: ({ principal, body }) => billing.sandbox.saveCard(principal.accountId, body),
    paySandboxCheckout: ({ principal, params, body: { confirm_challenge: isConfirmed = false, ...card } }) =>
      billing.sandbox.pay(principal.accountId, params.checkout_id, card, isConfirmed),
    refundSandboxPurchase: ({ principal, params, body }) =>
      billing.sandbox.refund(principal.accountId, params.purchase_id, body.amount_cents ?? null),
  }
}

export function billingExistence({ db, billing }: Omit<HandlerDeps, 'cursors'>): Existence<typeof billingContract> {
  return {
    setClientBilling: ({ accountId }, { account_id: id }) => billing.clients.requireClient(accountId, id),
    paySandboxCheckout: ({ accountId }, { checkout_id: id }) => billing.checkouts.getOrder(accountId, id),
    refundSandboxPurchase: (principal, { purchase_id: id }) => getOrder(db, principal, id),
  }
}

const callerOf = ({ principal, rawBody, idempotencyKey }: Pick<Call, 'principal' | 'rawBody' | 'idempotencyKey'>) => ({
  accountId: principal.accountId,
  rawBody,
  idempotencyKey,
})

/** @throws ApiError not_found, also for an unpaid checkout. */
async function getOrder(db: Db, { accountId }: Principal, id: string): Promise<OrderRow> {
  const order = await db.readOne(orderById, { id })
  const isPurchase = order !== undefined && (order.checkoutId === null || order.status === 'paid')
  if (isPurchase && order.accountId === accountId) return order
  throw new ApiError('not_found', 'There is no purchase with this id.')
}
