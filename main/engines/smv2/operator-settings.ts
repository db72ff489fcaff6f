import { integer, text } from '../../kernel/setting-kinds.ts'
import { matching } from '../../kernel/setting-texts.ts'
import { defineSettings } from '../../kernel/settings.ts'

export const smv2Settings = defineSettings({
  protocolVersion: {
    name: 'smv2.version',
    kind: text({
      words: 'version',
      rule: 'be a version such as 2.3000.1043857760',
      accept: matching(/^\d{1,2}\.\d{1,5}\.\d{1,12}$/),
    }),
    fallback: null,
    defaultText: 'the version this release shipped with, or a newer one announced by WhatsApp',
    description: 'WhatsApp protocol version for live `smv2` instances. WhatsApp eventually rejects old versions.',
  },
  mediaKeepDays: {
    name: 'media.keep_days',
    kind: integer({ min: 1, max: 3_650 }),
    fallback: 30,
    description: 'How many days files received by live `smv2` instances are kept in `files/` in the home folder.',
    window: 'now',
  },
  mediaWaitSeconds: {
    name: 'media.wait_seconds',
    kind: integer({ min: 0, max: 600 }),
    fallback: 20,
    description:
      'How long `message.received` of a live `smv2` instance waits for its file. After that it is sent with `media.pending: true`, and the file is fetched later or when it is requested.',
    window: 'now',
  },
  pacePerMinute: {
    name: 'pace.per_minute',
    kind: integer({ min: 0, max: 600 }),
    fallback: 30,
    description:
      'Messages per minute that a live `smv2` number sends on average. Sends wait for their turn; one that would wait too long is answered 429. 0 turns pacing off.',
    window: 'now',
  },
  paceBurst: {
    name: 'pace.burst',
    kind: integer({ min: 1, max: 100 }),
    fallback: 10,
    description: 'Messages a live `smv2` number may send ahead of that pace after a pause.',
    window: 'now',
  },
  paceChatPerMinute: {
    name: 'pace.chat_per_minute',
    kind: integer({ min: 1, max: 600 }),
    fallback: 20,
    description: 'The same as `pace.per_minute` for a single chat.',
    window: 'now',
  },
  paceChatBurst: {
    name: 'pace.chat_burst',
    kind: integer({ min: 1, max: 100 }),
    fallback: 5,
    description: 'The same as `pace.burst` for a single chat.',
    window: 'now',
  },
  paceSpacingMs: {
    name: 'pace.spacing_ms',
    kind: integer({ min: 0, max: 5_000 }),
    fallback: 500,
    description:
      'Shortest time in milliseconds between two messages of a live `smv2` number. The actual time is random, up to twice as long.',
    window: 'now',
  },
})
