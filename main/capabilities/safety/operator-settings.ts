import { integer, numbers, text } from '../../kernel/setting-kinds.ts'
import { defineSettings } from '../../kernel/settings.ts'
import { readTimeZone } from '../../kernel/time-zone.ts'

const EXPERIENCE = 'A value from community experience, not a WhatsApp rule.'

export const safetySettings = defineSettings({
  safetyDailyLimit: {
    name: 'safety.daily_limit',
    kind: integer({ min: 1, max: 100_000 }),
    fallback: 1_000,
    description: `Messages per day from a live \`smv2\` number after its warm-up. Sends from the API are included and never held back. ${EXPERIENCE}`,
    window: 'now',
  },
  safetyHourlyLimit: {
    name: 'safety.hourly_limit',
    kind: integer({ min: 1, max: 10_000 }),
    fallback: 80,
    description: `Messages per hour from a live \`smv2\` number, counted like \`safety.daily_limit\`. ${EXPERIENCE}`,
    window: 'now',
  },
  safetySpacingSeconds: {
    name: 'safety.spacing_s',
    kind: integer({ min: 0, max: 3_600 }),
    fallback: 5,
    description: `Shortest time in seconds between two messages that campaigns and AI agents send from the same live \`smv2\` number. ${EXPERIENCE}`,
    window: 'now',
  },
  safetyWarmupDays: {
    name: 'safety.warmup_days',
    kind: integer({ min: 0, max: 365 }),
    fallback: 10,
    description: `Days after its first pairing during which a live \`smv2\` number sends less. 0 turns the warm-up off. ${EXPERIENCE}`,
    window: 'now',
  },
  safetyWarmupLimits: {
    name: 'safety.warmup_limits',
    kind: numbers(3, { min: 1, max: 100_000, whole: true }),
    fallback: Object.freeze([50, 200, 500]),
    description: `Messages per day in the first, second and last third of the warm-up. ${EXPERIENCE}`,
    window: 'now',
  },
  safetyFirstContacts: {
    name: 'safety.first_contacts',
    kind: integer({ min: 0, max: 100_000 }),
    fallback: 200,
    description: `People per day that campaigns and AI agents may write to for the first time from a live \`smv2\` number. ${EXPERIENCE}`,
    window: 'now',
  },
  safetyFirstContactsNew: {
    name: 'safety.first_contacts_new',
    kind: integer({ min: 0, max: 100_000 }),
    fallback: 20,
    description: `The same on the day a number is paired. It rises to \`safety.first_contacts\` over \`safety.first_contacts_days\`. ${EXPERIENCE}`,
    window: 'now',
  },
  safetyFirstContactsDays: {
    name: 'safety.first_contacts_days',
    kind: integer({ min: 0, max: 365 }),
    fallback: 30,
    description: `Days until a live \`smv2\` number reaches \`safety.first_contacts\`. ${EXPERIENCE}`,
    window: 'now',
  },
  safetyWithheldPercent: {
    name: 'safety.withheld_percent',
    kind: integer({ min: 1, max: 100 }),
    fallback: 10,
    description: `A live \`official\` number starts no new chats while Meta withholds at least this share of its messages of the last 24 hours (error 131049). ${EXPERIENCE}`,
    window: 'now',
  },
  safetyTimezone: {
    name: 'safety.timezone',
    kind: text({ words: 'time zone', rule: 'be a time zone such as America/Sao_Paulo', accept: readTimeZone }),
    fallback: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    defaultText: 'the time zone of this machine',
    description: 'Time zone in which the days and hours of these limits begin.',
    window: 'now',
  },
})
