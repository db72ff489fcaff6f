import { sql } from '../../kernel/sql.ts'

export interface DailyCounts {
  readonly answered: number
  readonly handedOver: number
  readonly followUps: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costMicros: number
}

/** Counts for the account that owns the instance now, even if the turn began before a transfer. */
export const addDaily = sql<{ instanceId: string; day: string; agentId: string } & DailyCounts>(
  `INSERT INTO ai_daily (instance_id, day, agent_id, account_id, answered, handed_over, follow_ups, input_tokens,
     output_tokens, cost_micros)
   SELECT id, :day, :agentId, account_id, :answered, :handedOver, :followUps, :inputTokens, :outputTokens, :costMicros
   FROM instances WHERE id = :instanceId
   ON CONFLICT (instance_id, day, agent_id) DO UPDATE SET answered = ai_daily.answered + excluded.answered,
     handed_over = ai_daily.handed_over + excluded.handed_over, follow_ups = ai_daily.follow_ups + excluded.follow_ups,
     input_tokens = ai_daily.input_tokens + excluded.input_tokens,
     output_tokens = ai_daily.output_tokens + excluded.output_tokens,
     cost_micros = ai_daily.cost_micros + excluded.cost_micros`,
)
export const usedToday = sql<
  { instanceId: string; day: string; agentId: string },
  Pick<DailyCounts, 'inputTokens' | 'outputTokens' | 'costMicros'>
>(
  `SELECT input_tokens AS inputTokens, output_tokens AS outputTokens, cost_micros AS costMicros FROM ai_daily
   WHERE instance_id = :instanceId AND day = :day AND agent_id = :agentId`,
)

const SUMS = `day, SUM(answered) AS answered, SUM(handed_over) AS handedOver, SUM(follow_ups) AS followUps,
  SUM(input_tokens) AS inputTokens, SUM(output_tokens) AS outputTokens, SUM(cost_micros) AS costMicros`

export const daysOfInstance = sql<{ instanceId: string; from: string }, DailyCounts & { day: string }>(
  `SELECT ${SUMS} FROM ai_daily WHERE instance_id = :instanceId AND day >= :from GROUP BY day ORDER BY day LIMIT 100`,
)
export const daysOfAccount = sql<{ accountId: string; from: string }, DailyCounts & { day: string }>(
  `SELECT ${SUMS} FROM ai_daily WHERE account_id = :accountId AND day >= :from GROUP BY day ORDER BY day LIMIT 100`,
)
export const removeDailyOf = sql<{ instanceId: string }>('DELETE FROM ai_daily WHERE instance_id = :instanceId')
