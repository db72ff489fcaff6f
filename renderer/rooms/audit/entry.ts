import type { RoomEntries } from '../../app/entries.ts'

export default {
  entries: [{ words: 'audit.title', group: 'bottom', order: 2, path: '/activity', icon: 'i-lucide-history' }],
} satisfies RoomEntries
