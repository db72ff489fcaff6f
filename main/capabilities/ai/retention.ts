import type { Chore } from '../../kernel/housekeeping.ts'
import type { AiDeps } from './deps.ts'
import { pruneTurns } from './turn-store.ts'

const KEPT_MS = 90 * 86_400_000
const PRUNED_AT_ONCE = 500

/** Turns are kept for 90 days; their daily totals stay. */
export const createRetention = ({ db, clock }: Pick<AiDeps, 'db' | 'clock'>): Chore => ({
  name: 'ai.turns',
  begin: () => async () => {
    const before = clock.now() - KEPT_MS
    return (await db.commit((tx) => tx.run(pruneTurns, { before, limit: PRUNED_AT_ONCE }))) === PRUNED_AT_ONCE
  },
})
