import type { RoomEntries } from '../../app/entries.ts'

const toAgents = { to: (id: string | null) => (id === null ? '/agents' : `/agents/${id}`), list: '/agents' }

export default {
  entries: [
    {
      words: 'ai.title',
      group: 'automate',
      order: 1,
      path: '/agents',
      icon: 'i-lucide-sparkles',
      key: 'r',
      feature: 'ai',
    },
  ],
  attention: {
    'ai.waiting': {
      words: 'ai.attention.waiting',
      to: (id) => (id === null ? '/agents' : `/agents/${id}?tab=chats`),
      list: '/agents',
      icon: 'i-lucide-hand',
    },
    'ai.no_agent': { words: 'ai.attention.no_agent', ...toAgents, icon: 'i-lucide-user-round-x' },
    'ai.provider': { words: 'ai.attention.provider', ...toAgents, icon: 'i-lucide-key-round' },
  },
} satisfies RoomEntries
