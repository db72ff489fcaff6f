import { namesOf } from './names.ts'

/** Currencies that are offered; Stripe has more, through the API. */
const CURRENCIES = ['usd', 'eur', 'gbp', 'brl', 'mxn', 'ars', 'clp', 'cop', 'pen', 'cad', 'aud', 'chf', 'jpy'] as const

/** @param kept shown too, if a program has set something that is not in the list. */
export function currencyChoices(locale: string, kept: string): { readonly value: string; readonly label: string }[] {
  const nameOf = namesOf('currency', locale)
  return [...new Set([...CURRENCIES, kept])].map((value) => ({
    value,
    label: `${value.toUpperCase()}, ${nameOf(value.toUpperCase())}`,
  }))
}
