import { computed } from 'vue'
import type { RoomEntries } from '../../app/entries.ts'
import { useService } from '../../parts/service.ts'

export default {
  entries: [
    { words: 'common.helpMenu.api', group: 'developers', order: 5, path: '/settings/api', icon: 'i-lucide-code' },
    {
      ...{ words: 'settings.title', group: 'bottom', order: 1, path: '/settings' },
      ...{ icon: 'i-lucide-settings-2', key: ',' },
      useBadge() {
        const service = useService()
        return computed(() => ({
          count: service.view?.notices.filter(({ fault }) => fault).length ?? 0,
          words: 'settings.troubles',
        }))
      },
    },
  ],
  attention: {
    'service.trouble': {
      ...{ words: 'settings.attention.trouble', icon: 'i-lucide-triangle-alert' },
      to: () => '/settings',
    },
  },
} satisfies RoomEntries
