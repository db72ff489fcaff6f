import { computed } from 'vue'
import type { RoomEntries } from '../../app/entries.ts'
import { usePendingApprovals } from './use-pending-approvals.ts'

export default {
  entries: [
    {
      ...{ words: 'assistants.tab.approvals', group: 'top', order: 3, path: '/assistants/approvals' },
      ...{ icon: 'i-lucide-shield-check', key: 'a', feature: 'mcp' },
      useBadge() {
        const pending = usePendingApprovals()
        return computed(() => ({ count: pending.value, words: 'assistants.approval.waiting' }))
      },
    },
    {
      ...{ words: 'assistants.title', group: 'developers', order: 4, path: '/assistants', to: '/assistants/connect' },
      ...{ icon: 'i-lucide-bot', feature: 'mcp' },
    },
  ],
  actions: [{ words: 'assistants.approval.empty.act', icon: 'i-lucide-bot', to: '/assistants/connect' }],
  ids: [
    {
      pattern: /^apr_[0-9A-Z]{26}$/i,
      ...{ words: 'assistants.one', icon: 'i-lucide-shield-check' },
      to: () => '/assistants/approvals',
    },
  ],
  attention: {
    'approvals.waiting': {
      ...{ words: 'assistants.attention.waiting', icon: 'i-lucide-shield-check' },
      to: () => '/assistants/approvals',
    },
  },
} satisfies RoomEntries
