import type { RoomEntries } from '../../app/entries.ts'

const own = { role: 'operator', isOwnAccount: true } as const

/** @param id of the client; null: several. */
const toClient = (id: string | null) => (id === null ? '/clients' : `/clients/${id}`)

export default {
  entries: [
    { words: 'agency.title', group: 'agency', order: 1, path: '/clients', icon: 'i-lucide-building-2', ...own },
    {
      words: 'agency.brand.title',
      group: 'agency',
      order: 4,
      path: '/brand',
      icon: 'i-lucide-palette',
      role: 'operator',
    },
  ],
  attention: {
    'agency.suspended': { words: 'agency.attention.suspended', icon: 'i-lucide-circle-pause' },
    'agency.frozen': { words: 'agency.attention.frozen', icon: 'i-lucide-snowflake' },
    'instances.client': { words: 'agency.attention.numbers', icon: 'i-lucide-unplug', to: toClient },
    'instances.more_clients': {
      words: 'agency.attention.moreNumbers',
      icon: 'i-lucide-unplug',
      to: toClient,
      list: '/clients',
    },
    'ai.client': { words: 'agency.attention.chats', icon: 'i-lucide-hand', to: toClient },
    'opt-outs.client': { words: 'agency.attention.optOuts', icon: 'i-lucide-message-circle-question', to: toClient },
    'opt-outs.more_clients': {
      words: 'agency.attention.moreOptOuts',
      icon: 'i-lucide-message-circle-question',
      to: toClient,
      list: '/clients',
    },
    'messages.client': { words: 'agency.attention.queues', icon: 'i-lucide-hourglass', to: toClient },
    'messages.more_clients': {
      words: 'agency.attention.moreQueues',
      icon: 'i-lucide-hourglass',
      to: toClient,
      list: '/clients',
    },
    'instance-webhook.client': { words: 'agency.attention.calls', icon: 'i-lucide-webhook', to: toClient },
    'instance-webhook.more_clients': {
      words: 'agency.attention.moreCalls',
      icon: 'i-lucide-webhook',
      to: toClient,
      list: '/clients',
    },
    'webhooks.client': { words: 'agency.attention.webhooks', icon: 'i-lucide-webhook', to: toClient },
    'webhooks.more_clients': {
      words: 'agency.attention.moreWebhooks',
      icon: 'i-lucide-webhook',
      to: toClient,
      list: '/clients',
    },
    'crm.client': { words: 'agency.attention.crm', icon: 'i-lucide-unplug', to: toClient },
    'crm.more_clients': {
      words: 'agency.attention.moreCrm',
      icon: 'i-lucide-unplug',
      to: toClient,
      list: '/clients',
    },
    'campaigns.client': { words: 'agency.attention.campaigns', icon: 'i-lucide-megaphone', to: toClient },
    'campaigns.more_clients': {
      words: 'agency.attention.moreCampaigns',
      icon: 'i-lucide-megaphone',
      to: toClient,
      list: '/clients',
    },
    'campaigns.near_budget_client': { words: 'agency.attention.budgets', icon: 'i-lucide-coins', to: toClient },
    'campaigns.near_budget_more_clients': {
      words: 'agency.attention.moreBudgets',
      icon: 'i-lucide-coins',
      to: toClient,
      list: '/clients',
    },
    'templates.client': {
      ...{ words: 'agency.attention.templates', icon: 'i-lucide-layout-template', to: toClient },
      inClient: ({ instance = '' }) => `/instances/${instance}?tab=templates`,
    },
    'templates.more_clients': {
      ...{ words: 'agency.attention.moreTemplates', icon: 'i-lucide-layout-template', to: toClient, list: '/clients' },
    },
    'templates.category_changes_client': {
      ...{ words: 'agency.attention.categories', icon: 'i-lucide-tag', to: toClient },
      inClient: ({ instance = '' }) => `/instances/${instance}?tab=templates`,
    },
    'templates.category_changes_more_clients': {
      ...{ words: 'agency.attention.moreCategories', icon: 'i-lucide-tag', to: toClient, list: '/clients' },
    },
    'ai.more_clients': { words: 'agency.attention.moreChats', icon: 'i-lucide-hand', to: toClient, list: '/clients' },
  },
  actions: [{ words: 'agency.new.act', icon: 'i-lucide-plus', to: '/clients?new=1' }],
} satisfies RoomEntries
