import { integer, oneOf } from '../../kernel/setting-kinds.ts'
import { defineSettings } from '../../kernel/settings.ts'

export const instanceSettings = defineSettings({
  network: {
    name: 'network',
    kind: oneOf('sandbox', 'live'),
    fallback: 'sandbox',
    description: 'Default network for new instances.',
    window: 'now',
  },
  slots: {
    name: 'slots',
    kind: integer({ min: 0, max: 1_000_000 }),
    fallback: 10_000,
    description: 'Maximum number of instances, sandbox and live together.',
    window: 'now',
  },
})
