import { LIMITS } from '../../contract/limits.ts'
import { integer } from '../../kernel/setting-kinds.ts'
import { defineSettings } from '../../kernel/settings.ts'

export const messageSettings = defineSettings({
  sendTimeoutMs: {
    name: 'send_timeout_ms',
    kind: integer({ min: 100, max: LIMITS.sendTimeoutMs }),
    fallback: LIMITS.sendTimeoutMs,
    description: 'How long a send waits for the engine, in milliseconds.',
    window: 'restart',
  },
})
