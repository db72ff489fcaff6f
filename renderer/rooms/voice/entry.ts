import type { RoomEntries } from '../../app/entries.ts'

export default {
  // Voice has no entry in the sidebar. It is opened from the calls and from the page of each number.
  entries: [],
  under: { '/voice': '/calls' },
  actions: [{ words: 'voice.title', icon: 'i-lucide-phone-outgoing', to: '/voice' }],
} satisfies RoomEntries
