import { instancesRoom } from '../instances/room.ts'
import { messagesRoom } from '../messages/room.ts'
import { defineRoom } from '../room.ts'
import { historyContract } from './contract.ts'
import { historyHandlers } from './handlers.ts'
import { createHistory, type HistoryDeps } from './index.ts'

export const historyRoom = defineRoom({
  name: 'history',
  contract: historyContract,
  uses: { instances: instancesRoom, messages: messagesRoom },
  build(deps: Omit<HistoryDeps, 'instances' | 'messages'>, rooms) {
    const history = createHistory({ ...deps, ...rooms })
    return { handlers: historyHandlers(history), api: history }
  },
})
