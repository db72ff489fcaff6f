import type { RoomEntries } from '../../app/entries.ts'

export default {
  entries: [],
  actions: [{ words: 'softphone.title', icon: 'i-lucide-phone-call', to: '/softphone' }],
} satisfies RoomEntries
