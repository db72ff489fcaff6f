import type { RoomEntries } from '../../app/entries.ts'

const own = { role: 'operator', isOwnAccount: true } as const

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
  actions: [{ words: 'agency.new.act', icon: 'i-lucide-plus', to: '/clients?new=1' }],
} satisfies RoomEntries
