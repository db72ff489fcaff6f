import type { RoomEntries } from '../../app/entries.ts'

const toBilling = () => '/billing'

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
