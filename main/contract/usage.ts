import { Type, type Static } from 'typebox'
import { Uuid } from './shapes.ts'

const Count = (description: string) => Type.Integer({ description })

/** What is counted, by account, instance and day. */
const counters = {
  sent: Count('Messages sent through the service that the network took. One that failed later is in `failed` too.'),
  received: Count('Messages from other people.'),
  failed: Count('Messages that failed, immediately or later.'),
  campaign_sends: Count('The part of `sent` that campaigns sent.'),
  calls: Count('Voice calls that connected.'),
  call_seconds: Count('Their length.'),
  ai_tokens: Count('Tokens that AI agents used.'),
  media_bytes: Count('Size of the files in messages, both ways.'),
}

const DATE = '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$'

/** Both days are included. */
export const UsageQuery = Type.Object({
  from: Type.Optional(Type.String({ pattern: DATE, description: 'The first day; default: 29 days before `to`.' })),
  to: Type.Optional(Type.String({ pattern: DATE, description: 'The last day, included; default: today.' })),
})

const Day = Type.String({ pattern: DATE, description: '`YYYY-MM-DD`, in the time zone of its account.' })

export const UsageTotals = Type.Object(counters)
export type UsageTotals = Static<typeof UsageTotals>

export const UsageRow = Type.Object({ account_id: Uuid, instance_id: Uuid, day: Day, ...counters })
export type UsageRow = Static<typeof UsageRow>

export const USAGE_COUNTERS = Object.keys(counters) as (keyof UsageTotals)[]
export const USAGE_COLUMNS = ['account_id', 'instance_id', 'day', ...USAGE_COUNTERS] as const

const NO_USE: UsageTotals = {
  ...{ sent: 0, received: 0, failed: 0, campaign_sends: 0, calls: 0, call_seconds: 0, ai_tokens: 0, media_bytes: 0 },
}
export const noUse = (): UsageTotals => ({ ...NO_USE })
