import { useI18n } from 'vue-i18n'
import type { MissingThing } from '../../../main/contract/billing-words.ts'
import type { Item } from '../../app/operation-types.ts'
import { timeText } from '../../app/time.ts'
import { moneyText } from '../../app/money.ts'
import { readLine, readSold } from './line-text.ts'
import type { Choice, Price } from './use-billing.ts'

type Due = Pick<Item<'listInvoices'>, 'status' | 'due_at' | 'overdue_since'>

interface Named {
  readonly plan: string | null
  readonly product: string | null
  readonly tier: string | null
}

/** Amounts, dates and product names in the window's language. */
export function useBillingText() {
  const { t, te, n, locale } = useI18n()

  const money = (cents: number, currency: string): string => moneyText(cents, currency, locale.value)
  const price = ({ amount_cents: cents, currency, interval }: Price): string =>
    t(`billing.price.${interval ?? 'once'}`, { amount: money(cents, currency) })
  /** In the sandbox, billing time can be ahead of this computer, so a date is clearer than “in 3 days”. */
  const date = (at: string): string => timeText(at, { form: 'date', locale: locale.value })

  const known = (words: string, otherwise: string) => (te(words) ? t(words) : otherwise)
  const planName = (id: string): string => known(`billing.planName.${id}`, id)
  const productName = (id: string): string => known(`billing.product.${id}.name`, id)
  /** “5 slots”: the amount of a product. */
  function tierName(product: string, quantity: number): string {
    const words = `billing.product.${product}.tier`
    return te(words) ? t(words, { n: quantity }, quantity) : productName(product)
  }
  /** A product with its amount, as on invoices: “Extra slots (5)”. */
  const itemName = (product: string, quantity: number): string =>
    te(`billing.product.${product}.tier`) && quantity > 1
      ? `${productName(product)} (${quantity})`
      : productName(product)
  const brandName = (brand: string): string => brand.charAt(0).toUpperCase() + brand.slice(1)

  /** The quantity of a tier is its id, if it has one. */
  function offerName({ plan, product, tier }: Named): string {
    if (plan !== null) return planName(plan)
    if (product === null) return ''
    const quantity = Number(tier)
    return Number.isInteger(quantity) ? itemName(product, quantity) : productName(product)
  }
  const choiceName = (choice: Choice): string =>
    'plan' in choice ? planName(choice.plan) : offerName({ plan: null, ...choice })

  function soldName(name: string): string {
    const sold = readSold(name)
    if (sold === undefined) return name
    return 'plan' in sold ? planName(sold.plan) : itemName(sold.product, sold.quantity)
  }
  /** The subject of an invoice or one of its lines. */
  function lineName(description: string): string {
    const line = readLine(description)
    return line === undefined
      ? soldName(description)
      : t(`billing.line.${line.words}`, {
          name: line.words === 'service' ? line.name : soldName(line.name),
          n: n(line.quantity),
        })
  }

  /** Due date of an open invoice. */
  function dueText({ status, due_at: due, overdue_since: since }: Due): string | undefined {
    if (since !== null) return t('billing.invoice.overdueSince', { date: date(since) })
    return status === 'open' && due !== null ? t('billing.invoice.due', { date: date(due) }) : undefined
  }

  /** Why a payment failed. */
  const failure = (code: string): string => known(`billing.failure.${code}`, code)

  /** What live billing lacks. Results of an earlier version have only a kind. */
  const missingText = ({ what, code, params = {} }: MissingThing): string =>
    t(`billing.missing.${code ?? what}`, {
      ...params,
      ...(code === 'wrong_interval' && { interval: t(`billing.missing.charged.${params['interval'] ?? 'once'}`) }),
    })

  return {
    missingText,
    money,
    price,
    date,
    planName,
    productName,
    tierName,
    itemName,
    brandName,
    offerName,
    choiceName,
    lineName,
    dueText,
    failure,
  }
}
