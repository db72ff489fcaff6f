import type { PortalView, StripePages } from '../../simulators/stripe/index.ts'
import { escape, page } from '../onboarding/layout.ts'
import { actionButton, cardForm, dateIn, moneyIn, problemLine, sandboxPage, type TypedCard } from './parts.ts'
import type { PaymentWords } from './words.ts'

type Session = ReturnType<StripePages['checkout']>
type Invoice = ReturnType<StripePages['invoice']>

export function checkoutPage(words: PaymentWords, session: Session, problem?: string, typed?: TypedCard): string {
  const back = backLink(words, session.status === 'open' ? session.cancel_url : session.success_url)
  if (session.status === 'complete') {
    const title = session.mode === 'setup' ? words.saved : words.paid
    return sandboxPage(words, title, `<p>${escape(session.mode === 'setup' ? '' : words.paidLead)}</p>${back}`)
  }
  if (session.status !== 'open') return sandboxPage(words, words.expired, back)
  if (session.mode === 'setup')
    return sandboxPage(words, words.setup, cardForm(words, words.saveButton, problem, typed) + back)
  const amount = moneyIn(words, session.amount_total ?? 0, session.currency ?? 'usd')
  const lines = (session.line_items?.data ?? []).map(({ description, price, amount_total: total, currency }) => {
    const each = words.each[price?.recurring?.interval ?? ''] ?? ''
    return `<dt>${escape(description ?? '')}</dt><dd>${escape(`${moneyIn(words, total, currency)} ${each}`)}</dd>`
  })
  return sandboxPage(
    words,
    words.pay(amount),
    `<dl>${lines.join('')}</dl>${cardForm(words, words.payButton(amount), problem, typed)}${back}`,
  )
}

const backLink = ({ back }: PaymentWords, url: string | null) =>
  url === null ? '' : `<p><a href="${escape(url)}">${escape(back)}</a></p>`

export function portalPage(words: PaymentWords, view: PortalView, problem?: string): string {
  const subscriptions = view.subscriptions.map((one) => {
    const [item] = one.items.data
    const name = item === undefined ? '' : view.nameOf(item)
    const date = dateIn(words, item?.current_period_end ?? 0)
    const label = one.cancel_at_period_end ? words.keepPlan : words.endPlan
    const action = one.cancel_at_period_end ? 'keep' : 'end'
    return `<dl><dt>${escape(name)}</dt><dd>${escape(one.cancel_at_period_end ? words.ends(date) : words.renews(date))}</dd></dl>
${actionButton(label, { action, id: one.id })}`
  })
  const cards = view.cards.map(({ id, card }) => {
    if (card === undefined) return ''
    const until = `${String(card.exp_month).padStart(2, '0')}/${String(card.exp_year)}`
    const isDefault = id === view.defaultCard
    return `<dl><dt>${escape(words.card(card.brand, card.last4, until))}</dt><dd>${escape(isDefault ? words.isDefault : '')}</dd></dl>
${isDefault ? '' : actionButton(words.makeDefault, { action: 'choose', id })}${actionButton(words.remove, { action: 'remove', id })}`
  })
  const invoices = view.invoices.map((one) => {
    const text = `${dateIn(words, one.created)} · ${moneyIn(words, one.total, one.currency)} · ${words.status[one.status ?? ''] ?? ''}`
    const number = words.invoice(one.number ?? '')
    return `<dl><dt>${escape(number)}</dt><dd>${escape(text)}</dd></dl>${linkTo(one.hosted_invoice_url, `${words.open}: ${number}`)}`
  })
  return sandboxPage(
    words,
    words.portal,
    `${problemLine(problem)}
<h2>${escape(words.plan)}</h2>${subscriptions.join('') || `<p>${escape(words.noPlan)}</p>`}
<h2>${escape(words.savedCards)}</h2>${cards.join('') || `<p>${escape(words.noCard)}</p>`}
<h2>${escape(words.addCard)}</h2>${cardForm(words, words.saveButton)}
<h2>${escape(words.invoices)}</h2>${invoices.join('') || `<p>${escape(words.noInvoice)}</p>`}
${backLink(words, view.returnUrl)}`,
  )
}

const linkTo = (url: string | null | undefined, label: string) =>
  url === null || url === undefined ? '' : `<p><a href="${escape(pathOf(url))}">${escape(label)}</a></p>`

/** Pages link to each other on the host they were opened on. */
const pathOf = (url: string): string => url.replace(/^sandbox-pages:/, '/sandbox/stripe')

export function invoicePage(words: PaymentWords, invoice: Invoice, problem?: string, typed?: TypedCard): string {
  const lines = invoice.lines.data.map(
    ({ description, amount, currency }) =>
      `<dt>${escape(description ?? '')}</dt><dd>${escape(moneyIn(words, amount, currency))}</dd>`,
  )
  const due = moneyIn(words, invoice.amount_remaining, invoice.currency)
  const isOpen = invoice.status === 'open'
  const form = isOpen ? cardForm(words, words.payButton(due), problem, typed) : ''
  return sandboxPage(
    words,
    words.invoice(invoice.number ?? ''),
    `<p>${escape(dateIn(words, invoice.created))} · ${escape(words.status[invoice.status ?? ''] ?? '')}</p>
<dl>${lines.join('')}<dt>${escape(words.total)}</dt><dd>${escape(moneyIn(words, invoice.total, invoice.currency))}</dd>
<dt>${escape(words.due)}</dt><dd>${escape(due)}</dd></dl>
${linkTo(invoice.invoice_pdf, words.pdf)}${form}`,
  )
}

export const goneFrom = (words: PaymentWords): string => sandboxPage(words, words.gone, '')

/** The page to which the provider sends people back, the same in both modes. */
export const returnPage = (words: PaymentWords): string =>
  page(words, words.returned, `<h1>${escape(words.returned)}</h1><p>${escape(words.returnedLead)}</p>`)
