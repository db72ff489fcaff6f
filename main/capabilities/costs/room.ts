import type { Log } from '../../kernel/log.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Notice } from '../../contract/notice.ts'
import { room } from '../room.ts'
import { createBudgetWarnings } from './budget-warnings.ts'
import { costsContract } from './contract.ts'
import { costsExistence, costsHandlers, type CostsHandlerDeps } from './handlers.ts'
import { createCosts } from './index.ts'
import type { Clock } from '../../kernel/clock.ts'

interface CostsRoomDeps extends Omit<CostsHandlerDeps, 'costs'> {
  readonly clock: Clock
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly log: Log
}

const EXPIRED_AT_ONCE = 200

export function costsRoom(deps: CostsRoomDeps) {
  const costs = createCosts(deps)
  costs.budgets.onChange(async (tx, accountId) =>
    tx.afterCommit(() => deps.live.publish(accountId, { topic: 'message-budgets' })),
  )
  const warnings = createBudgetWarnings({ ...deps, budgets: costs.budgets })
  return room({
    name: 'costs',
    contract: costsContract,
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
  })
}
