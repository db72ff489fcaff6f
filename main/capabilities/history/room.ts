import { room } from '../room.ts'
import { historyContract } from './contract.ts'
import { historyHandlers } from './handlers.ts'
import { createHistory, type HistoryDeps } from './index.ts'

export function historyRoom(deps: HistoryDeps) {
  const history = createHistory(deps)
  return room({ name: 'history', contract: historyContract, handlers: historyHandlers(history), api: history })
}
