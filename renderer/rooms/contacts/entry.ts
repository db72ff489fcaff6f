import type { RoomEntries } from '../../app/entries.ts'
import { usePalettePeople } from './use-palette-people.ts'

export default {
  finds: { words: 'contacts.title', use: usePalettePeople },
  entries: [
    { words: 'contacts.title', group: 'engage', order: 2, path: '/contacts', icon: 'i-lucide-contact' },
    {
      words: 'contacts.optOuts.title',
      group: 'engage',
      order: 3,
      path: '/opt-outs',
      icon: 'i-lucide-message-square-off',
    },
  ],
  actions: [
    { words: 'contacts.new.title', icon: 'i-lucide-user-plus', to: '/contacts?new=1' },
    { words: 'contacts.import.title', icon: 'i-lucide-upload', to: '/contacts/import' },
  ],
  attention: {
    'opt-outs.question': {
      words: 'contacts.attention.question',
      to: () => '/opt-outs?tab=questions',
      list: '/opt-outs',
      icon: 'i-lucide-message-circle-question',
    },
  },
} satisfies RoomEntries
