import type { Handlers } from '../handler.ts'
import type { callsContract } from './contract.ts'
import type { Calls } from './index.ts'

export function callsHandlers(calls: Calls): Handlers<typeof callsContract> {
  return {
    getCallSettings: ({ instance }) => calls.read(instance),
    updateCallSettings: ({ instance, body }) => calls.update(instance, body),
  }
}
