import { LIMITS } from '../../contract/limits.ts'
import { numbers } from '../../kernel/setting-kinds.ts'
import { defineSettings } from '../../kernel/settings.ts'

export const webhookSettings = defineSettings({
  retryScheduleSeconds: {
    name: 'retry_schedule_s',
    kind: numbers(LIMITS.deliveryAttempts - 1, { min: 0, max: 604_800, whole: false }),
    fallback: Object.freeze([10, 60, 600, 2_700, 7_200, 21_600, 43_200]),
    description: 'Delays in seconds before attempts 2 to 8 of a webhook delivery.',
    window: 'restart',
  },
})
