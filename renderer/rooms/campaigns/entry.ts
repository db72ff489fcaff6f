import type { RoomEntries } from '../../app/entries.ts'
import { usePaletteCampaigns } from './use-palette-campaigns.ts'

const toCampaign = (id: string | null) => (id === null ? '/campaigns' : `/campaigns/${id}`)
const toCampaigns = { to: toCampaign, list: '/campaigns' }

export default {
  entries: [
    {
      ...{ words: 'campaigns.title', group: 'engage', order: 1, path: '/campaigns' },
      ...{ icon: 'i-lucide-megaphone', key: 'c', feature: 'campaigns' },
    },
  ],
  actions: [{ words: 'campaigns.new', icon: 'i-lucide-plus', to: '/campaigns/edit' }],
  ids: [
    {
      pattern: /^cmp_[0-9A-Z]{26}$/i,
      ...{ words: 'campaigns.one', icon: 'i-lucide-megaphone' },
      to: toCampaign,
    },
  ],
  finds: { words: 'campaigns.title', use: usePaletteCampaigns },
  attention: {
    'campaigns.paused': { words: 'campaigns.attention.paused', ...toCampaigns, icon: 'i-lucide-circle-pause' },
    'campaigns.near_budget': {
      ...{ words: 'campaigns.attention.nearBudget', ...toCampaigns, icon: 'i-lucide-coins' },
    },
    'campaigns.failed': { words: 'campaigns.attention.failed', ...toCampaigns, icon: 'i-lucide-circle-x' },
  },
} satisfies RoomEntries
