import type { Invoice } from '../../contract/billing.ts'

/** An invoice as the provider returns it. Whether it is overdue depends on the time. */
export type ProviderInvoice = Omit<Invoice, 'overdue_since'>

export interface ProviderInvoices {
  readonly invoices: readonly ProviderInvoice[]
  readonly hasMore: boolean
}

export interface Invoices {
  readonly invoices: readonly Invoice[]
  readonly hasMore: boolean
}

export const NO_INVOICES: Invoices = { invoices: [], hasMore: false }

/**
 * @param shown rewrites the URL of a provider's page for a browser.
 * @param nowMs of the customer: in the sandbox its clock can be ahead.
 */
export function toInvoices(
  { invoices, hasMore }: ProviderInvoices,
  shown: (url: string) => string,
  nowMs: number,
): Invoices {
  const link = (url: string | null) => (url === null ? null : shown(url))
  return {
    invoices: invoices.map((invoice) => ({
      ...invoice,
      overdue_since: isOverdue(invoice, nowMs) ? invoice.due_at : null,
      hosted_url: link(invoice.hosted_url),
      pdf_url: link(invoice.pdf_url),
    })),
    hasMore,
  }
}

const isOverdue = ({ status, due_at: dueAt }: ProviderInvoice, nowMs: number): boolean =>
  status === 'open' && dueAt !== null && Date.parse(dueAt) <= nowMs
