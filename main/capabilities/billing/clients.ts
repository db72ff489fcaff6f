import type {
  AgencyBilling,
  AgencyBillingBody,
  ClientBilling,
  ClientBillingBody,
} from '../../contract/client-billing.ts'
import { ApiError } from '../../contract/errors.ts'
import { isoTime, isoTimeOrNull, isUuid } from '../../contract/request.ts'
import type { Tx } from '../../kernel/db.ts'
import { shiftDate } from '../../kernel/time-zone.ts'
import { dueAt } from '../../kernel/due.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { JobOutcome } from '../../kernel/job.ts'
import { Secret } from '../../kernel/secret.ts'
import {
  agencyRow,
  clientRow,
  clientsOfAgency,
  countClients,
  dropClient,
  putClient,
  saveAgency,
  subAccountOf,
  type AgencyRow,
  type ClientRow,
} from './clients-store.ts'
import { orUnavailable } from './customers.ts'
import type { BillingDeps } from './deps.ts'
import { NO_INVOICES, toInvoices, type Invoices } from './invoices.ts'
import { unavailable, type Providers } from './providers.ts'
import { parentOf } from './store.ts'
import type { ClientBillingProvider, ClientState } from './stripe/client-billing.ts'
import { chargedCosts, LEFT_OUT_DAYS, leftOutCosts, priceOfAMicro } from './message-costs.ts'
import { checkUsagePrices, shownPrices, usagePricesOf, type ReportedPrice } from './usage-prices.ts'

/** An agency bills its sub-accounts through its own Stripe account. Off unless the agency turns it on. */
export interface ClientBillings {
  settings(agencyId: AccountId): Promise<AgencyBilling>
  changeSettings(agencyId: AccountId, body: AgencyBillingBody): Promise<AgencyBilling>
  /** @throws ApiError not_found for an account that is not a sub-account of the agency, or is not billed. */
  get(agencyId: AccountId, clientId: string): Promise<ClientBilling>
  set(agencyId: AccountId, clientId: string, body: ClientBillingBody): Promise<ClientBilling>
  /** Invoices the remaining amount. */
  remove(agencyId: AccountId, clientId: string): Promise<void>
  /** Runs in the commit that deletes a sub-account, and stops its billing. */
  accountDeleted(tx: Tx, clientId: AccountId): Promise<void>
  invoices(agencyId: AccountId, clientId: string, page: { after: string | undefined; rows: number }): Promise<Invoices>
  /** The invoices that a client got from its agency. Empty if the agency has no payment provider. */
  invoicesOfClient(clientId: AccountId, page: { after: string | undefined; rows: number }): Promise<Invoices>
  requireClient(agencyId: AccountId, clientId: string): Promise<{ name: string }>
}

interface Deps extends Pick<BillingDeps, 'db' | 'clock' | 'jobs' | 'seal' | 'usage' | 'costs' | 'live'> {
  readonly providers: Pick<Providers, 'clients'>
  /** Rewrites URLs of the provider's pages to their current address. */
  readonly shown: (url: string) => string
}

type ClientInput = { readonly clientId: AccountId; readonly revision: number }
type UsageInput = { readonly clientId: AccountId }
type EndInput = { readonly agencyId: AccountId; readonly subscriptionId: string }

const RETRIES_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000, 10_800_000, 21_600_000]
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Usage of a day is reported some time after its end, because statuses of its last messages arrive later. */
const SETTLING_MS = 2 * HOUR_MS

const billsNobody = () =>
  new ApiError(
    'invalid_state',
    'A sub-account has no sub-accounts to bill. Change this with a key of the agency.',
  ).because('client_has_no_clients')

export function createClientBillings(deps: Deps): ClientBillings {
  const { db, clock, jobs, seal, usage, costs, live, providers, shown } = deps

  const read = async (accountId: AccountId): Promise<AgencyRow> =>
    (await db.readOne(agencyRow, { accountId })) ?? blank(accountId)

  const providerOf = async (agencyId: AccountId): Promise<ClientBillingProvider | undefined> => {
    const { enabled, mode, keySealed } = await read(agencyId)
    if (enabled === 0) return undefined
    if (mode === 'sandbox') return providers.clients('sandbox', new Secret(sandboxKeyOf(agencyId)))
    return keySealed === null ? undefined : providers.clients('live', seal.open(keySealed, ownerOf(agencyId)))
  }
  const needProvider = async (agencyId: AccountId): Promise<ClientBillingProvider> => {
    const found = await providerOf(agencyId)
    if (found !== undefined) return found
    const { enabled } = await read(agencyId)
    if (enabled === 0)
      throw new ApiError(
        'invalid_state',
        'Billing of clients is off. Turn it on with PATCH /v1/agency/billing.',
      ).because('client_billing_off')
    throw unavailable('Billing of clients is live, and the restricted key of your Stripe account is missing.')
  }

  const publish = (tx: Tx, { agencyId, clientId }: Pick<ClientRow, 'agencyId' | 'clientId'>) =>
    tx.afterCommit(() => {
      for (const accountId of [agencyId, clientId]) live.publish(accountId, { topic: 'billing' })
    })

  const applied = jobs.define<ClientInput, { state: ClientState } | { refusal: string } | null>({
    name: 'billing.client',
    ...{ perLane: 1, concurrency: 2, deadlineMs: 180_000, retryDelaysMs: RETRIES_MS, keepsTrying: true },
    async act({ input: { clientId, revision } }) {
      const row = await db.readOne(clientRow, { clientId })
      // Newer terms have their own job.
      if (row === undefined || row.revision !== revision) return null
      const client = await db.readOne(subAccountOf, { agencyId: row.agencyId, clientId })
      const provider = await providerOf(row.agencyId)
      if (client === undefined || provider === undefined) return { refusal: 'Billing of clients is off or has no key.' }
      const { customerId, subscriptionId } = row
      const asked = await provider.apply(
        { clientId, revision, name: client.name, ...termsOf(row) },
        { customerId, subscriptionId },
      )
      if (asked.kind === 'ok') return { state: asked.value }
      if (asked.kind === 'refused') return { refusal: asked.message }
      throw new Error(`Stripe did not answer (${asked.kind})`)
    },
    async record(tx, { input: { clientId, revision } }, result): Promise<JobOutcome> {
      const row = await tx.one(clientRow, { clientId })
      if (row === undefined || result === null || row.revision !== revision) return { kind: 'done' }
      publish(tx, row)
      if ('refusal' in result) {
        await tx.run(putClient, { ...row, state: 'failed', error: result.refusal, updatedAtMs: clock.now() })
        return { kind: 'failed', error: result.refusal }
      }
      await tx.run(putClient, { ...withState(row, result.state), error: null, updatedAtMs: clock.now() })
      await reports.add(tx, { accountId: row.agencyId, subjectId: clientId, key: clientId, input: { clientId } })
      return { kind: 'done' }
    },
  })

  const reports = jobs.define<UsageInput, { until: string; state: ClientState | null } | null>({
    name: 'billing.client_usage',
    ...{ perLane: 1, concurrency: 2, deadlineMs: 180_000, retryDelaysMs: RETRIES_MS, keepsTrying: true },
    async act({ input: { clientId } }) {
      const row = await db.readOne(clientRow, { clientId })
      const provider = row && (await providerOf(row.agencyId))
      if (row === undefined || row.customerId === null || provider === undefined) return null
      const last = earlier(dayBefore(await usage.today(clientId)), lastSettledDay(clock.now()))
      let until = row.reportedUntil
      while (until < last) {
        const day = dayAfter(until)
        await reportDay(provider, row, day)
        until = day
      }
      const state = row.subscriptionId === null ? null : await provider.state(row.customerId, row.subscriptionId)
      return { until, state: state?.kind === 'ok' ? state.value : null }
    },
    async record(tx, { input: { clientId } }, result): Promise<JobOutcome> {
      const row = await tx.one(clientRow, { clientId })
      if (row === undefined) return { kind: 'done' }
      if (result !== null) {
        const reportedUntil = result.until > row.reportedUntil ? result.until : row.reportedUntil
        const known = result.state === null ? row : withState(row, result.state)
        await tx.run(putClient, { ...known, reportedUntil })
        if (known.state !== row.state) publish(tx, row)
      }
      return { kind: 'again', at: dueAt(clock, nextMidnight(clock.now()) + SETTLING_MS) }
    },
  })

  async function reportDay(provider: ClientBillingProvider, row: ClientRow, day: string): Promise<void> {
    const { clientId, customerId } = row
    const totals = await usage.totals([clientId], { from: day, to: day })
    const { metered, currency, markupPercent } = termsOf(row)
    for (const { counter } of metered) {
      const value =
        counter === 'message_costs'
          ? await chargedCosts(costs, { clientId, currency, markupPercent, day })
          : totals[counter]
      if (value === 0 || customerId === null) continue
      // Stripe accepts no time in the future, and no day that has not ended.
      const atMs = Math.min(clock.now(), Date.parse(`${day}T12:00:00Z`))
      const asked = await provider.report({ customerId, clientId, counter, day, value, atMs })
      if (asked.kind !== 'ok') throw new Error(`usage was not reported (${asked.kind})`)
    }
  }

  const ended = jobs.define<EndInput, null>({
    name: 'billing.client_end',
    ...{ perLane: 1, concurrency: 2, deadlineMs: 60_000, retryDelaysMs: RETRIES_MS, keepsTrying: true },
    async act({ input: { agencyId, subscriptionId } }) {
      const provider = await providerOf(agencyId)
      const asked = await provider?.end(subscriptionId)
      if (asked !== undefined && asked.kind !== 'ok' && asked.kind !== 'refused') throw new Error('it was not ended')
      return null
    },
  })

  const requireClient: ClientBillings['requireClient'] = async (agencyId, clientId) => {
    const found = isUuid(clientId)
      ? await db.readOne(subAccountOf, { agencyId, clientId: clientId.toLowerCase() })
      : undefined
    if (found !== undefined) return found
    throw new ApiError('not_found', 'There is no sub-account with this id.')
  }

  const getRow = async (agencyId: AccountId, clientId: string): Promise<ClientRow> => {
    await requireClient(agencyId, clientId)
    const row = await db.readOne(clientRow, { clientId: clientId.toLowerCase() })
    if (row?.agencyId === agencyId) return row
    throw new ApiError('not_found', 'This sub-account is not billed. Set its terms with PUT.')
  }

  const settings: ClientBillings['settings'] = async (agencyId) => {
    const { enabled, mode, keyLast4, keySealed } = await read(agencyId)
    const clients = (await db.readOne(countClients, { agencyId }))?.clients ?? 0
    const ready = enabled === 1 && (mode === 'sandbox' || keySealed !== null)
    return { enabled: enabled === 1, mode, restricted_key_last4: keyLast4, ready, clients }
  }

  async function record(row: ClientRow): Promise<ClientBilling> {
    const { clientId, reportedUntil: to } = row
    const { message_costs: messageCosts, currency } = JSON.parse(row.terms) as ClientBillingBody
    const from = shiftDate(to, 1 - LEFT_OUT_DAYS)
    return toRecord(row, messageCosts ? await leftOutCosts(costs, { clientId, currency, from, to }) : [])
  }

  return {
    settings,
    requireClient,
    async changeSettings(agencyId, { enabled, mode, restricted_key: key }) {
      await db.commit(async (tx) => {
        if (((await tx.one(parentOf, { accountId: agencyId }))?.parentId ?? null) !== null) throw billsNobody()
        const before = (await tx.one(agencyRow, { accountId: agencyId })) ?? blank(agencyId)
        const isMoved = mode !== undefined && mode !== before.mode
        const used = (await tx.one(countClients, { agencyId }))?.clients ?? 0
        if (isMoved && used > 0) {
          throw new ApiError(
            'invalid_state',
            'Clients are billed in this mode. Remove their billing first, then change the mode.',
          ).because('client_billing_mode_in_use')
        }
        await tx.run(saveAgency, {
          ...before,
          ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
          ...(mode !== undefined && { mode }),
          ...(key !== undefined && {
            keySealed: key === null ? null : seal.seal(new Secret(key), ownerOf(agencyId)),
            keyLast4: key === null ? null : key.slice(-4),
          }),
        })
        // Retries what was waiting for the key or failed without it.
        for (const { clientId } of await tx.all(clientsOfAgency, { agencyId })) await retry(tx, clientId)
      })
      return settings(agencyId)
    },
    get: async (agencyId, clientId) => record(await getRow(agencyId, clientId)),

    async set(agencyId, clientId, body) {
      await requireClient(agencyId, clientId)
      checkUsagePrices(body)
      await needProvider(agencyId)
      const id = clientId.toLowerCase() as AccountId
      const today = await usage.today(id)
      await db.commit(async (tx) => {
        const before = await tx.one(clientRow, { clientId: id })
        const currency = before && termsOf(before).currency
        if (currency !== undefined && currency !== body.currency) {
          throw new ApiError(
            'invalid_state',
            `This client is billed in ${currency.toUpperCase()}, and Stripe does not change that. Remove the billing first.`,
          ).because('client_currency_fixed', { currency: currency.toUpperCase() })
        }
        const revision = (before?.revision ?? 0) + 1
        await tx.run(putClient, {
          ...{ clientId: id, agencyId, terms: JSON.stringify(body), revision, state: 'pending', error: null },
          ...{ customerId: before?.customerId ?? null, subscriptionId: before?.subscriptionId ?? null },
          ...{ periodEndMs: before?.periodEndMs ?? null, reportedUntil: before?.reportedUntil ?? dayBefore(today) },
          updatedAtMs: clock.now(),
        })
        await addJob(tx, agencyId, id, revision)
      })
      return record(await getRow(agencyId, clientId))
    },

    async remove(agencyId, clientId) {
      const row = await getRow(agencyId, clientId)
      await db.commit((tx) => drop(tx, row))
    },
    async accountDeleted(tx, clientId) {
      const row = await tx.one(clientRow, { clientId })
      if (row !== undefined) await drop(tx, row)
    },

    async invoices(agencyId, clientId, page) {
      const row = await getRow(agencyId, clientId)
      return row.customerId === null ? NO_INVOICES : invoicesAt(await needProvider(agencyId), row, page)
    },
    async invoicesOfClient(clientId, page) {
      const row = await db.readOne(clientRow, { clientId })
      const provider = row && (await providerOf(row.agencyId))
      return row === undefined || provider === undefined ? NO_INVOICES : invoicesAt(provider, row, page)
    },
  }

  async function invoicesAt(
    provider: ClientBillingProvider,
    row: ClientRow,
    page: { after: string | undefined; rows: number },
  ) {
    if (row.customerId === null) return NO_INVOICES
    const found = orUnavailable(await provider.invoices(row.customerId, page))
    if (page.after === undefined && row.state === 'past_due') await lookAgain(provider, row)
    return toInvoices(found, shown, clock.now())
  }

  /** Reads the subscription again when invoices are listed, so that a client that has paid is not shown as overdue. */
  async function lookAgain(provider: ClientBillingProvider, { clientId, customerId, subscriptionId }: ClientRow) {
    if (customerId === null || subscriptionId === null) return
    const state = await provider.state(customerId, subscriptionId)
    if (state.kind !== 'ok' || state.value.isPastDue) return
    await db.commit(async (tx) => {
      const row = await tx.one(clientRow, { clientId })
      if (row?.state !== 'past_due' || row.subscriptionId !== subscriptionId) return
      await tx.run(putClient, { ...withState(row, state.value), updatedAtMs: clock.now() })
      publish(tx, row)
    })
  }

  async function drop(tx: Tx, { clientId, agencyId, subscriptionId }: ClientRow): Promise<void> {
    await tx.run(dropClient, { clientId })
    if (subscriptionId === null) return
    const input = { agencyId, subscriptionId }
    await ended.add(tx, { accountId: agencyId, subjectId: clientId, key: subscriptionId, input })
  }

  async function addJob(tx: Tx, agencyId: AccountId, clientId: AccountId, revision: number): Promise<void> {
    const key = `${clientId} ${String(revision)}`
    await applied.add(tx, { accountId: agencyId, subjectId: clientId, key, input: { clientId, revision } })
    publish(tx, { agencyId, clientId })
  }

  async function retry(tx: Tx, clientId: AccountId): Promise<void> {
    const row = await tx.one(clientRow, { clientId })
    if (row?.state !== 'failed') return
    const revision = row.revision + 1
    await tx.run(putClient, { ...row, revision, state: 'pending', error: null, updatedAtMs: clock.now() })
    await addJob(tx, row.agencyId, clientId, revision)
  }
}

/** The default for an agency without settings. */
const blank = (accountId: AccountId): AgencyRow => ({
  ...{ accountId, enabled: 0, mode: 'sandbox', keySealed: null, keyLast4: null },
})

const ownerOf = (agencyId: AccountId) => `billing:agency:${agencyId}`

/** Each agency has its own account at the simulator. */
const sandboxKeyOf = (agencyId: AccountId) => `rk_test_agency_${agencyId.replaceAll('-', '')}`

function termsOf({ terms }: ClientRow) {
  // Written by `set`.
  const {
    amount_cents: amount,
    currency,
    interval,
    email,
    language = 'en',
    tax: taxId = null,
    message_costs: messageCosts = null,
    ...prices
  } = JSON.parse(terms) as ClientBillingBody
  const metered: ReportedPrice[] = [...usagePricesOf(prices)]
  if (messageCosts !== null) metered.push({ counter: 'message_costs', per: 1, amount: priceOfAMicro(currency) })
  const markupPercent = messageCosts?.markup_percent ?? 0
  return { ...{ amount, currency, interval, email, language, taxId }, metered, markupPercent }
}

const withState = (row: ClientRow, { customerId, subscriptionId, isPastDue, periodEndMs }: ClientState): ClientRow => ({
  ...row,
  ...{ customerId, subscriptionId, periodEndMs, state: isPastDue ? 'past_due' : 'active' },
})

function toRecord(row: ClientRow, leftOut: ClientBilling['message_costs_left_out']): ClientBilling {
  const body = JSON.parse(row.terms) as ClientBillingBody
  return {
    account_id: row.clientId,
    ...{ amount_cents: body.amount_cents, currency: body.currency, interval: body.interval, email: body.email },
    language: body.language ?? 'en',
    tax: body.tax ?? null,
    ...shownPrices(body),
    message_costs: body.message_costs ?? null,
    message_costs_left_out: leftOut,
    status: row.state,
    error: row.error,
    usage_reported_until: row.customerId === null ? null : row.reportedUntil,
    current_period_end: isoTimeOrNull(row.periodEndMs),
    updated_at: isoTime(row.updatedAtMs),
  }
}

const dayAfter = (day: string) => shiftDate(day, 1)
const dayBefore = (day: string) => shiftDate(day, -1)
const earlier = (one: string, other: string) => (one < other ? one : other)
/** Days are in UTC, as for costs. */
const lastSettledDay = (nowMs: number) => dayBefore(isoTime(nowMs - SETTLING_MS).slice(0, 10))
const nextMidnight = (nowMs: number) => (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS
