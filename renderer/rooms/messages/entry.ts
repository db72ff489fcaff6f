import type { RoomEntries } from '../../app/entries.ts'
import { useUnreadBadge } from './use-unread-badge.ts'

export default {
  entries: [
    {
      ...{ words: 'messages.title', group: 'top', order: 2, path: '/messages', icon: 'i-lucide-inbox', key: 'm' },
      useBadge: useUnreadBadge,
    },
  ],
} satisfies RoomEntries
