import type { RoomEntries } from '../../app/entries.ts'

export default {
  entries: [
    { words: 'members.title', group: 'agency', order: 3, path: '/team', icon: 'i-lucide-users', role: 'operator' },
  ],
  actions: [{ words: 'members.invite.act', icon: 'i-lucide-user-plus', to: '/team?new=1' }],
} satisfies RoomEntries
