import type { RoomEntries } from '../../app/entries.ts'

export default {
  entries: [{ words: 'overview.title', group: 'top', order: 1, path: '/overview', icon: 'i-lucide-house', key: 'o' }],
} satisfies RoomEntries
