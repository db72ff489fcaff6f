import { integer } from '../kernel/setting-kinds.ts'
import { defineSettings } from '../kernel/settings.ts'

export const voiceSettings = defineSettings({
  voiceSandboxSpeed: {
    name: 'sandbox.voice_speed',
    kind: integer({ min: 1, max: 20 }),
    fallback: 1,
    description:
      'How many times faster than real calls those of the sandbox run, for tests. Recordings keep their length.',
    window: 'now',
  },
})
