import { Type } from 'typebox'
import { BACKFILL_STATES, SYNC_DEFAULT, type CrmBackfill } from '../../../contract/crm.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { Body } from '../../../contract/shapes.ts'

export const LOCATION = 've9EPM428h8vShlRW1KT'

export const BackfillWish = Type.Enum(
  BACKFILL_STATES.filter((state) => state !== 'done'),
  { description: 'Pauses, resumes or ends the backfill.' },
)

export const BackfillBody = Body({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.crmBackfillDays,
      default: LIMITS.crmBackfillDaysDefault,
      description: 'How far back.',
    }),
  ),
})

export const BACKFILL_EXAMPLE: CrmBackfill = {
  state: 'running',
  days: 30,
  chats: { done: 12, total: 40 },
  messages: { found: 310, copied: 290, skipped: 4 },
  started_at: '2026-03-01T09:30:00.000Z',
  ended_at: null,
}

export const CONNECTION_EXAMPLE = {
  connected: true,
  state: 'connected',
  paused: false,
  sync: SYNC_DEFAULT,
  connected_at: '2026-03-01T09:30:00.000Z',
  last_sync_at: '2026-03-01T09:31:12.000Z',
  last_error: null,
  waiting: { to_crm: 0, to_contacts: 0, failed: 0, oldest_at: null },
  backfill: null,
  hidden_people: 0,
} as const
