import type { Handlers } from '../handler.ts'
import type { historyContract } from './contract.ts'
import type { History } from './index.ts'

export function historyHandlers(history: History): Handlers<typeof historyContract> {
  return {
    startHistoryImport: ({ instance, body }) => history.start(instance, body.days),
    getHistoryImport: ({ instance }) => history.read(instance),
    updateHistoryImport: ({ instance, body }) => history.update(instance, body),
  }
}
