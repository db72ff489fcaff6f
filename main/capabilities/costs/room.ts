import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Notice } from '../../contract/notice.ts'
import { agencyRoom } from '../agency/room.ts'
import { defineRoom } from '../room.ts'
import { createBudgetWarnings } from './budget-warnings.ts'
import { costsContract } from './contract.ts'
import { costsExistence, costsHandlers, type CostsHandlerDeps } from './handlers.ts'
import { createCosts } from './index.ts'

interface Deps extends Omit<CostsHandlerDeps, 'costs' | 'family'> {
  readonly clock: Clock
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly log: Log
}

const EXPIRED_AT_ONCE = 200

export const costsRoom = defineRoom({
  name: 'costs',
  contract: costsContract,
  uses: { agency: agencyRoom },
  build(given: Deps, { agency }) {
    const deps = { ...given, family: agency.family }
    const costs = createCosts(deps)
    costs.budgets.onChange(async (tx, accountId) =>
      tx.afterCommit(() => given.live.publish(accountId, { topic: 'message-budgets' })),
    )
    agency.whenDeleted(costs.budgets.accountDeleted)
    const warnings = createBudgetWarnings({ ...deps, budgets: costs.budgets })
    return {
      handlers: costsHandlers({ ...deps, costs }),
      existence: costsExistence(deps),
      api: costs,
      start: warnings.start,
      stop: warnings.stop,
      chores: [
        {
          name: 'messages without a reported price',
          begin: () => async () => (await costs.holds.expire(EXPIRED_AT_ONCE)) === EXPIRED_AT_ONCE,
        },
      ],
      attention: warnings.attention,
    }
  },
})
