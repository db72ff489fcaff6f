import { boolean } from '../../kernel/setting-kinds.ts'
import { defineSettings } from '../../kernel/settings.ts'

export const agencySettings = defineSettings({
  agencyOvercommit: {
    name: 'agency.overcommit',
    kind: boolean,
    fallback: false,
    description:
      'Sub-accounts may be given more slots than there are. A new instance then also needs a slot that nobody uses.',
    window: 'now',
  },
})
