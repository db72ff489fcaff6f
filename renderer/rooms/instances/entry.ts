import type { RoomEntries } from '../../app/entries.ts'

const toNumbers = {
  to: (id: string | null) => (id === null ? '/instances' : `/instances/${id}`),
  list: '/instances',
}

export default {
  entries: [
    {
      ...{ words: 'instances.title', group: 'numbers', order: 1, path: '/instances' },
      ...{ icon: 'i-lucide-smartphone', key: 'i' },
    },
    { words: 'instances.wall.title', group: 'numbers', order: 2, path: '/instances/wall', icon: 'i-lucide-qr-code' },
  ],
  actions: [{ words: 'instances.new.open', icon: 'i-lucide-plus', to: '/instances?new=1' }],
  ids: [
    {
      pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ...{ words: 'instances.one', icon: 'i-lucide-smartphone' },
      to: (id) => `/instances/${id}`,
    },
  ],
  attention: {
    'instances.banned': { words: 'instances.attention.banned', ...toNumbers, icon: 'i-lucide-ban' },
    'instances.signed_out': { words: 'instances.attention.signed_out', ...toNumbers, icon: 'i-lucide-log-out' },
    'instances.lost': { words: 'instances.attention.lost', ...toNumbers, icon: 'i-lucide-unplug' },
    'safety.restricted': { words: 'instances.attention.restricted', ...toNumbers, icon: 'i-lucide-shield-alert' },
    'official-settings.version_ends': {
      ...{ words: 'instances.attention.version_ends', ...toNumbers, icon: 'i-lucide-calendar-clock' },
    },
    'templates.category_changes': {
      ...{ words: 'templates.attention.category_changes', icon: 'i-lucide-tag' },
      to: (id) => (id === null ? '/instances' : `/instances/${id}?tab=templates`),
    },
    'instances.passkey': { words: 'instances.attention.passkey', ...toNumbers, icon: 'i-lucide-fingerprint' },
  },
} satisfies RoomEntries
