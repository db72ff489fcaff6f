import type { RoomEntries } from '../../app/entries.ts'

export default {
  entries: [
    {
      ...{ words: 'calls.title', group: 'automate', order: 2, path: '/calls' },
      ...{ icon: 'i-lucide-phone', key: 'l', feature: 'voice' },
    },
  ],
  actions: [{ words: 'calls.schedule.title', icon: 'i-lucide-calendar-plus', to: '/calls/schedule' }],
} satisfies RoomEntries
