import type { Db } from '../../../kernel/db.ts'
import { sql } from '../../../kernel/sql.ts'
import type { Template } from '../../templates.ts'
import type { GraphNumber } from './store.ts'

type Of = { phoneNumberId: string; user: string }

const insertStop = sql<Of>(
  `INSERT INTO sandbox_graph_marketing_stops (phone_number_id, user_number) VALUES (:phoneNumberId, :user)
   ON CONFLICT (phone_number_id, user_number) DO NOTHING`,
)
const removeStop = sql<Of>(
  'DELETE FROM sandbox_graph_marketing_stops WHERE phone_number_id = :phoneNumberId AND user_number = :user',
)
const stopOf = sql<Of, { user: string }>(
  `SELECT user_number AS "user" FROM sandbox_graph_marketing_stops
   WHERE phone_number_id = :phoneNumberId AND user_number = :user`,
)

/**
 * People who receive no marketing from a number: Meta accepts such a message and reports that it failed. Utility
 * messages are not affected.
 */
export function createMarketingStops(db: Db) {
  return {
    async change({ phoneNumberId }: GraphNumber, user: string, value: 'stop' | 'resume'): Promise<void> {
      await db.commit((tx) => tx.run(value === 'stop' ? insertStop : removeStop, { phoneNumberId, user }))
    },
    async refuses({ phoneNumberId }: GraphNumber, user: string, template: Template | undefined): Promise<boolean> {
      if (template?.category !== 'MARKETING') return false
      return (await db.readOne(stopOf, { phoneNumberId, user })) !== undefined
    },
  }
}

export const STOPPED_MARKETING = {
  code: 'engine_rejected',
  provider_code: 131_050,
  message: 'The recipient chose to stop receiving marketing messages from this business.',
} as const
