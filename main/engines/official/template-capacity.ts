import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { TemplateCapacity } from '../templates.ts'
import type { NumberFacts } from './number-facts.ts'
import type { ConnectedNumber, Numbers } from './numbers.ts'

interface CapacityDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly numbers: Pick<Numbers, 'ofAccount' | 'note'>
}

export type TemplateCapacities = ReturnType<typeof createTemplateCapacities>

const HOUR_MS = 60 * 60_000
const CHECK_EVERY_MS = 24 * HOUR_MS

/** How many templates a WhatsApp Business account has, and its limit. Its numbers share both. */
export function createTemplateCapacities({ db, clock, numbers }: CapacityDeps) {
  return {
    isDue: ({ facts }: ConnectedNumber): boolean =>
      Math.abs(clock.now() - (facts?.templates?.checkedAtMs ?? 0)) > CHECK_EVERY_MS,

    /** @param capacity null if Meta does not report it. */
    async note({ wabaId, facts }: ConnectedNumber, capacity: TemplateCapacity | null): Promise<void> {
      const checkedAtMs = clock.now()
      const templates = { count: capacity?.count ?? null, limit: capacity?.limit ?? null, checkedAtMs }
      const before = facts?.templates
      const isKnown = before?.count === templates.count && before.limit === templates.limit
      if (isKnown && Math.abs(checkedAtMs - before.checkedAtMs) < HOUR_MS) return
      await db.commit(async (tx) => {
        for (const { instanceId } of numbers.ofAccount(wabaId))
          await numbers.note(tx, instanceId, (known) => ({ ...known, templates }))
      })
    },
  }
}

/** The capacity that Meta last reported. */
export function capacityIn(facts: NumberFacts | null): TemplateCapacity | null {
  const { count = null, limit = null } = facts?.templates ?? {}
  return count === null || limit === null ? null : { count, limit }
}
