import type { RoomEntries } from '../../app/entries.ts'

export default {
  entries: [
    {
      ...{ words: 'sandbox.title', group: 'developers', order: 6, path: '/sandbox' },
      ...{ icon: 'i-lucide-flask-conical', key: 's' },
    },
  ],
} satisfies RoomEntries
