import type { RoomEntries } from '../../app/entries.ts'

export default {
  entries: [
    { words: 'events.title', group: 'developers', order: 2, path: '/events', icon: 'i-lucide-activity', key: 'e' },
  ],
  ids: [
    {
      pattern: /^evt_[0-9A-Z]{26}$/i,
      ...{ words: 'events.one', icon: 'i-lucide-activity' },
      // Event ids use upper-case letters.
      to: (id) => `/events?event=evt_${id.slice(4).toUpperCase()}`,
    },
  ],
} satisfies RoomEntries
