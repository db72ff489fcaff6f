import type { RoomEntries } from '../../app/entries.ts'

const toCosts = () => '/billing?tab=costs'
const toBilling = () => '/billing'
/** @param id of the client; null: several. */
const toClient = (id: string | null) => (id === null ? '/clients' : `/clients/${id}?tab=billing`)

export default {
  entries: [
    {
      ...{ words: 'billing.title', group: 'agency', order: 4, path: '/billing' },
      ...{ icon: 'i-lucide-credit-card', key: 'b' },
    },
  ],
  attention: {
    'billing.past_due': { words: 'billing.attention.past_due', icon: 'i-lucide-credit-card', to: toBilling },
    'billing.frozen': { words: 'billing.attention.frozen', icon: 'i-lucide-snowflake', to: toBilling },
    'billing.invoice_overdue': {
      ...{ words: 'billing.attention.invoice_overdue', icon: 'i-lucide-receipt' },
      to: () => '/billing?tab=invoices',
    },
    'billing.client': { words: 'billing.attention.client', icon: 'i-lucide-receipt', to: toClient },
    'billing.more_clients': {
      words: 'billing.attention.moreClients',
      icon: 'i-lucide-receipt',
      to: toClient,
      list: '/clients',
    },
    'billing.rejected_client': { words: 'billing.attention.rejected', icon: 'i-lucide-receipt', to: toClient },
    'billing.rejected_more_clients': {
      words: 'billing.attention.moreRejected',
      icon: 'i-lucide-receipt',
      to: toClient,
      list: '/clients',
    },
    'costs.budget': { words: 'billing.attention.budget', icon: 'i-lucide-coins', to: toCosts },
    'costs.client': { words: 'billing.attention.clientBudget', icon: 'i-lucide-coins', to: toCosts },
    'costs.more_clients': { words: 'billing.attention.moreBudgets', icon: 'i-lucide-coins', to: toCosts },
    'billing.amount_mismatch': {
      ...{ words: 'billing.attention.amount_mismatch', icon: 'i-lucide-circle-alert' },
      to: () => '/billing?tab=history',
    },
    'billing.not_configured': {
      ...{ words: 'billing.attention.not_configured', icon: 'i-lucide-plug' },
      to: () => '/billing?tab=provider',
    },
  },
} satisfies RoomEntries
