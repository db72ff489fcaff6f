import {
  INVOICE_LANGUAGES,
  UNITS_OF,
  type InvoiceLanguage,
  type Metered,
  type UnitsOfPrice,
} from '../../../main/contract/client-billing.ts'
import type { Body, Reply } from '../../app/operation-types.ts'
import { amountText, fineAmountText, moneyText, readAmount, readFineAmount } from '../../app/money.ts'
import { LANGUAGE_NAMES } from '../../app/languages.ts'
import { namesOf } from '../../app/names.ts'

export type Terms = Reply<'getClientBilling'>

export const METERED = ['sent', 'received', 'calls', 'call_seconds', 'ai_tokens'] as const satisfies readonly Metered[]

/** Kinds of tax IDs, as Stripe names them, with the country shown beside them. */
const TAX_TYPES: Readonly<Record<string, readonly [name: string, region: string]>> = {
  br_cnpj: ['CNPJ', 'BR'],
  br_cpf: ['CPF', 'BR'],
  eu_vat: ['VAT', 'EU'],
  gb_vat: ['VAT', 'GB'],
  us_ein: ['EIN', 'US'],
  mx_rfc: ['RFC', 'MX'],
  ar_cuit: ['CUIT', 'AR'],
  cl_tin: ['RUT', 'CL'],
  co_nit: ['NIT', 'CO'],
  pe_ruc: ['RUC', 'PE'],
  es_cif: ['CIF', 'ES'],
}
export const NO_TAX = 'none'

interface Choice {
  readonly value: string
  readonly label: string
}

export function taxChoices(locale: string, kept: string): Choice[] {
  const nameOf = namesOf('region', locale)
  return [...new Set([...Object.keys(TAX_TYPES), ...(kept === NO_TAX ? [] : [kept])])].map((value) => {
    const [name, region] = TAX_TYPES[value] ?? [value, undefined]
    return { value, label: region === undefined ? name : `${name} (${nameOf(region)})` }
  })
}

/** Each under its own name. */
export const languageChoices = (): { value: InvoiceLanguage; label: string }[] =>
  INVOICE_LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))

export interface TermsForm {
  amount: string
  currency: string
  interval: 'month' | 'year'
  email: string
  language: InvoiceLanguage
  taxType: string
  taxValue: string
  /** Empty: no usage price. */
  metered: Record<Metered, string>
  per: Record<Metered, UnitsOfPrice>
  /** Whether Meta's charges for messages are passed on. */
  hasMessageCosts: boolean
  /** In percent. */
  markup: string
}

/** The service's limit. */
export const MOST_MARKUP = 1_000
const readPercent = (text: string): number | undefined => {
  const percent = /^(\d{1,4})(?: ?%)?$/.exec(text.trim())?.[1]
  return percent !== undefined && Number(percent) <= MOST_MARKUP ? Number(percent) : undefined
}

/** Possible units for the price of a counter, the most common first. */
export const unitsOf = (counter: Metered): readonly UnitsOfPrice[] => UNITS_OF[counter].toReversed()
const usualUnit = (counter: Metered): UnitsOfPrice => unitsOf(counter)[0] ?? 1

/** In the smallest unit of the currency. */
const MOST_FOR_A_UNIT = 1_000_000
export const mostForAUnit = (currency: string, locale: string): string => moneyText(MOST_FOR_A_UNIT, currency, locale)

export function formOf(terms: Terms | undefined, locale: string): TermsForm {
  const currency = terms?.currency ?? 'usd'
  const priceOf = (counter: Metered) => terms?.usage_prices.find((one) => one.counter === counter)
  // Every counter is named in METERED.
  const forEach = <T>(value: (counter: Metered) => T) =>
    Object.fromEntries(METERED.map((counter) => [counter, value(counter)])) as Record<Metered, T>
  return {
    amount: terms ? amountText(terms.amount_cents, currency, locale) : '',
    currency,
    interval: terms?.interval ?? 'month',
    email: terms?.email ?? '',
    language: terms?.language ?? INVOICE_LANGUAGES.find((own) => own === locale) ?? 'en',
    taxType: terms?.tax?.type ?? NO_TAX,
    taxValue: terms?.tax?.value ?? '',
    metered: forEach((counter) => {
      const found = priceOf(counter)
      return found ? fineAmountText(found.amount_cents_decimal, currency, locale) : ''
    }),
    per: forEach((counter) => priceOf(counter)?.per ?? usualUnit(counter)),
    hasMessageCosts: (terms?.message_costs ?? null) !== null,
    markup: String(terms?.message_costs?.markup_percent ?? 0),
  }
}

export type Wrong = 'amount' | 'email' | 'taxValue' | 'markup' | Metered

/** Invalid fields. */
export function wrongFields(form: TermsForm): readonly Wrong[] {
  const isPrice = (text: string) => {
    const cents = Number(readFineAmount(text, form.currency) ?? 0)
    return cents > 0 && cents <= MOST_FOR_A_UNIT
  }
  return [
    ...(readAmount(form.amount, form.currency) === undefined ? (['amount'] as const) : []),
    ...(/^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(form.email.trim()) ? [] : (['email'] as const)),
    ...(form.taxType !== NO_TAX && form.taxValue.trim().length < 3 ? (['taxValue'] as const) : []),
    ...(form.hasMessageCosts && readPercent(form.markup) === undefined ? (['markup'] as const) : []),
    ...METERED.filter((counter) => form.metered[counter].trim() !== '' && !isPrice(form.metered[counter])),
  ]
}

/** @param form a valid form. */
export function bodyOf(form: TermsForm): Body<'setClientBilling'> {
  const { currency, interval, language } = form
  return {
    ...{ currency, interval, language, email: form.email.trim() },
    amount_cents: readAmount(form.amount, currency) ?? 0,
    tax: form.taxType === NO_TAX ? null : { type: form.taxType, value: form.taxValue.trim() },
    message_costs: form.hasMessageCosts ? { markup_percent: readPercent(form.markup) ?? 0 } : null,
    usage_prices: METERED.flatMap((counter) => {
      const cents = readFineAmount(form.metered[counter], currency)
      return cents === undefined ? [] : [{ counter, per: form.per[counter], amount_cents_decimal: cents }]
    }),
  }
}
