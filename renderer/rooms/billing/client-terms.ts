import type { Metered } from '../../../main/contract/client-billing.ts'
import type { Body, Reply } from '../../app/operation-types.ts'
import { amountText, readAmount } from './money.ts'

export type Terms = Reply<'getClientBilling'>

export const METERED = ['sent', 'received', 'calls', 'call_seconds', 'ai_tokens'] as const satisfies readonly Metered[]

/** Currencies that are offered; Stripe has more, through the API. */
const CURRENCIES = ['usd', 'eur', 'gbp', 'brl', 'mxn', 'ars', 'clp', 'cop', 'pen', 'cad', 'aud', 'chf', 'jpy'] as const

/** Kinds of tax IDs, as Stripe names them, with the country whose name is shown beside. */
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

/** @param kept shown too, if a program has set something that is not in the list. */
export function currencyChoices(locale: string, kept: string): Choice[] {
  const names = new Intl.DisplayNames(locale, { type: 'currency' })
  return [...new Set([...CURRENCIES, kept])].map((value) => ({
    value,
    label: `${value.toUpperCase()}, ${names.of(value.toUpperCase()) ?? value}`,
  }))
}

export function taxChoices(locale: string, kept: string): Choice[] {
  const names = new Intl.DisplayNames(locale, { type: 'region' })
  return [...new Set([...Object.keys(TAX_TYPES), ...(kept === NO_TAX ? [] : [kept])])].map((value) => {
    const [name, region] = TAX_TYPES[value] ?? [value, undefined]
    return { value, label: region === undefined ? name : `${name} (${names.of(region) ?? region})` }
  })
}

export interface TermsForm {
  amount: string
  currency: string
  interval: 'month' | 'year'
  email: string
  taxType: string
  taxValue: string
  /** Empty: not charged by use. */
  metered: Record<Metered, string>
}

export function formOf(terms: Terms | undefined): TermsForm {
  const currency = terms?.currency ?? 'usd'
  const unit = (counter: Metered) => {
    const found = terms?.metered.find((one) => one.counter === counter)
    return found ? amountText(found.unit_amount_cents, currency) : ''
  }
  return {
    amount: terms ? amountText(terms.amount_cents, currency) : '',
    currency,
    interval: terms?.interval ?? 'month',
    email: terms?.email ?? '',
    taxType: terms?.tax?.type ?? NO_TAX,
    taxValue: terms?.tax?.value ?? '',
    // Every counter is named in METERED.
    metered: Object.fromEntries(METERED.map((counter) => [counter, unit(counter)])) as Record<Metered, string>,
  }
}

export type Wrong = 'amount' | 'email' | 'taxValue' | Metered

/** The fields that cannot be sent as they are. */
export function wrongFields(form: TermsForm): readonly Wrong[] {
  const isPrice = (text: string) => (readAmount(text, form.currency) ?? 0) > 0
  return [
    ...(readAmount(form.amount, form.currency) === undefined ? (['amount'] as const) : []),
    ...(/^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(form.email.trim()) ? [] : (['email'] as const)),
    ...(form.taxType !== NO_TAX && form.taxValue.trim().length < 3 ? (['taxValue'] as const) : []),
    ...METERED.filter((counter) => form.metered[counter].trim() !== '' && !isPrice(form.metered[counter])),
  ]
}

/** @param form without wrong fields. */
export function bodyOf(form: TermsForm): Body<'setClientBilling'> {
  const { currency, interval } = form
  return {
    ...{ currency, interval, email: form.email.trim() },
    amount_cents: readAmount(form.amount, currency) ?? 0,
    tax: form.taxType === NO_TAX ? null : { type: form.taxType, value: form.taxValue.trim() },
    metered: METERED.filter((counter) => form.metered[counter].trim() !== '').map((counter) => ({
      counter,
      unit_amount_cents: readAmount(form.metered[counter], currency) ?? 1,
    })),
  }
}
