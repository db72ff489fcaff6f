import type { RoomEntries } from '../../app/entries.ts'

export default {
  entries: [],
  under: { '/softphone': '/calls' },
  actions: [{ words: 'softphone.title', icon: 'i-lucide-phone-call', to: '/softphone' }],
} satisfies RoomEntries
