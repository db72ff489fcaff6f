import type { Tx } from '../../kernel/db.ts'
import { addDaily, usedToday, type DailyCounts } from './daily-store.ts'
import type { Agent } from './agent-store.ts'
import { dayOf } from '../../kernel/time-zone.ts'

interface Of {
  readonly instanceId: string
  readonly agentId: string | null
  readonly timezone: string
  readonly nowMs: number
}

const NONE: DailyCounts = { answered: 0, handedOver: 0, followUps: 0, inputTokens: 0, outputTokens: 0, costMicros: 0 }

/** Adds to the counts of the day, in the same commit as the event. */
export async function countDaily(
  tx: Tx,
  { instanceId, agentId, timezone, nowMs }: Of,
  counts: Partial<DailyCounts>,
): Promise<void> {
  if (Object.values(counts).every((count) => count === 0)) return
  const row = { instanceId, agentId: agentId ?? '', day: dayOf(nowMs, timezone).date }
  await tx.run(addDaily, { ...row, ...NONE, ...counts })
}

/** The daily limit that the agent has reached. Turns that are already running may exceed it slightly. */
export async function limitReached(
  tx: Pick<Tx, 'one'>,
  { id: agentId, instanceId, limits }: Agent,
  timezone: string,
  nowMs: number,
): Promise<'token_limit' | 'cost_limit' | undefined> {
  const { tokens_per_day: tokens, cost_per_day_usd: cost } = limits
  if (tokens === null && cost === null) return undefined
  const used = await tx.one(usedToday, { instanceId, agentId, day: dayOf(nowMs, timezone).date })
  if (used === undefined) return undefined
  if (tokens !== null && used.inputTokens + used.outputTokens >= tokens) return 'token_limit'
  return cost !== null && used.costMicros >= cost * 1_000_000 ? 'cost_limit' : undefined
}
