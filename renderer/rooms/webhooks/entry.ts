import type { RoomEntries } from '../../app/entries.ts'

const toWebhooks = { to: (id: string | null) => (id === null ? '/webhooks' : `/webhooks/${id}`), list: '/webhooks' }

export default {
  entries: [
    { words: 'webhooks.title', group: 'developers', order: 1, path: '/webhooks', icon: 'i-lucide-webhook', key: 'w' },
  ],
  actions: [{ words: 'webhooks.new', icon: 'i-lucide-plus', to: '/webhooks?new=1' }],
  ids: [
    {
      pattern: /^whk_[0-9A-Z]{26}$/i,
      ...{ words: 'webhooks.one', icon: 'i-lucide-webhook' },
      to: (id) => `/webhooks/${id}`,
    },
    {
      pattern: /^dlv_[0-9A-Z]{26}$/i,
      ...{ words: 'webhooks.oneDelivery', icon: 'i-lucide-send' },
      to: (id) => `/webhooks/deliveries?delivery=${id}`,
    },
  ],
  attention: {
    'webhooks.deactivated': { words: 'webhooks.attention.deactivated', ...toWebhooks, icon: 'i-lucide-circle-off' },
    'webhooks.failing': { words: 'webhooks.attention.failing', ...toWebhooks, icon: 'i-lucide-circle-alert' },
  },
} satisfies RoomEntries
