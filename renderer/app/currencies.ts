import { namesOf } from './names.ts'

/** Currencies in the list; Stripe supports more, through the API. */
const CURRENCIES = ['usd', 'eur', 'gbp', 'brl', 'mxn', 'ars', 'clp', 'cop', 'pen', 'cad', 'aud', 'chf', 'jpy'] as const

/** @param kept also shown, if a program has set one that is not in the list. */
export function currencyChoices(locale: string, kept: string): { readonly value: string; readonly label: string }[] {
  const nameOf = namesOf('currency', locale)
  return [...new Set([...CURRENCIES, kept])].map((value) => ({
    value,
    label: `${value.toUpperCase()}, ${nameOf(value.toUpperCase())}`,
  }))
}
