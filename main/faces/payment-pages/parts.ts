import { escape, page } from '../onboarding/layout.ts'
import type { PaymentWords } from './words.ts'

/** Test cards, and their outcomes. */
const TEST_CARDS = {
  works: '4242 4242 4242 4242',
  challenge: '4000 0000 0000 3220',
  declined: '4000 0000 0000 0002',
  expired: '4000 0000 0000 0069',
} as const

export const moneyIn = ({ language }: PaymentWords, cents: number, currency: string): string =>
  new Intl.NumberFormat(language, { style: 'currency', currency }).format(cents / 100)

export const dateIn = ({ language }: PaymentWords, seconds: number): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(seconds * 1_000))

/** Starts with the notice that this is a sandbox page. */
export const sandboxPage = (words: PaymentWords, title: string, body: string): string =>
  page(
    words,
    title,
    `<p class="tag">${escape(words.tag)}</p>
<h1 class="wide">${escape(title)}</h1>
<p class="note">${escape(words.sandbox)}</p>
${body}`,
  )

/** Card data as entered in the form. */
export interface TypedCard {
  readonly number: string
  readonly expiry: string
}

export const cardForm = (words: PaymentWords, button: string, problem?: string, typed?: TypedCard): string => {
  const bad = problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"'
  return `${problemLine(problem)}
<form method="post">
  <label for="number">${escape(words.number)}</label>
  <input id="number" name="number" inputmode="numeric" autocomplete="off" required autofocus placeholder="4242 4242 4242 4242"${bad}>
  <label for="expiry">${escape(words.expiry)}</label>
  <input id="expiry" name="expiry" inputmode="numeric" autocomplete="off" required placeholder="12/34" value="${escape(typed?.expiry ?? '')}">
  <label for="cvc">${escape(words.cvc)}</label>
  <input id="cvc" name="cvc" inputmode="numeric" autocomplete="off" maxlength="4" placeholder="123">
  <button>${escape(button)}</button>
</form>
<h2>${escape(words.cards)}</h2>
<ul>${Object.entries(TEST_CARDS)
    .map(([name, number]) => `<li><code>${number}</code> ${escape(words.cardMeanings[name] ?? '')}</li>`)
    .join('')}</ul>`
}

export const problemLine = (problem: string | undefined): string =>
  problem === undefined ? '' : `<p class="problem" id="problem" role="alert">${escape(problem)}</p>`

/** The simulated bank's confirmation page. Only test cards get here, so the page may contain the number. */
export const challengePage = (words: PaymentWords, { number, expiry }: TypedCard, back: string): string =>
  sandboxPage(
    words,
    words.challenge,
    `<p>${escape(words.challengeLead)}</p>
<form method="post">
  <input type="hidden" name="number" value="${escape(number)}">
  <input type="hidden" name="expiry" value="${escape(expiry)}">
  <input type="hidden" name="confirmed" value="yes">
  <button autofocus>${escape(words.confirm)}</button>
</form>
<p><a href="${escape(back)}">${escape(words.cancel)}</a></p>`,
  )

export const refusalIn = (words: PaymentWords, code: string): string => words.refused[code] ?? words.otherwise

/** A form with only a button. */
export const actionButton = (label: string, fields: Readonly<Record<string, string>>): string =>
  `<form method="post">${Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escape(value)}">`)
    .join('')}<button>${escape(label)}</button></form>`

const EXPIRY = /^\s*(\d{1,2})\s*(?:[/-]\s*)?(\d{2}|\d{4})\s*$/

/** @returns undefined unless it is a month and year. */
export function readExpiry(text: string): { expMonth: number; expYear: number } | undefined {
  const found = EXPIRY.exec(text)
  const month = Number(found?.[1])
  if (found === null || month < 1 || month > 12) return undefined
  const year = Number(found[2])
  return { expMonth: month, expYear: year < 100 ? 2_000 + year : year }
}
