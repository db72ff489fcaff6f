import { room } from '../room.ts'
import { overviewContract } from './contract.ts'
import { overviewHandlers } from './handlers.ts'
import { createOverview, type OverviewDeps } from './index.ts'

export function overviewRoom(deps: OverviewDeps) {
  const overview = createOverview(deps)
  return room({
    name: 'overview',
    contract: overviewContract,
    handlers: overviewHandlers(overview),
    api: overview,
    chores: [overview.retention],
  })
}
