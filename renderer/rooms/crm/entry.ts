import type { RoomEntries } from '../../app/entries.ts'

export default {
  // Its cards are on the page of each instance.
  entries: [],
  attention: {
    'crm.reconnect_required': {
      words: 'crm.attention.reconnect_required',
      to: (id) => (id === null ? '/instances' : `/instances/${id}?tab=crm`),
      list: '/instances',
      icon: 'i-lucide-unplug',
    },
    'crm.secret_ended': {
      words: 'crm.attention.secret_ended',
      to: (id) => (id === null ? '/instances' : `/instances/${id}?tab=crm`),
      list: '/instances',
      icon: 'i-lucide-key-round',
    },
  },
} satisfies RoomEntries
