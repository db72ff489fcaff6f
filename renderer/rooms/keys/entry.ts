import type { RoomEntries } from '../../app/entries.ts'

export default {
  entries: [
    { words: 'keys.title', group: 'developers', order: 3, path: '/keys', icon: 'i-lucide-key-round', key: 'k' },
  ],
  actions: [{ words: 'keys.new.title', icon: 'i-lucide-plus', to: '/keys?new=1' }],
} satisfies RoomEntries
