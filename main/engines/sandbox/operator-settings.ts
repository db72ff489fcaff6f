import { numbers, type Kind } from '../../kernel/setting-kinds.ts'
import { defineSettings } from '../../kernel/settings.ts'

export const sandboxSettings = defineSettings({
  sandboxTimelineMs: {
    name: 'sandbox.timeline_ms',
    // `numbers` checks the count.
    kind: numbers(4, { min: 0, max: 600_000, whole: true }) as Kind<
      readonly [accepted: number, sent: number, delivered: number, read: number]
    >,
    fallback: Object.freeze([50, 150, 600, 2_000] as const),
    description: 'Delays in milliseconds until a sandbox message is accepted, sent, delivered and read.',
  },
})
