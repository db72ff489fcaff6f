import { room } from '../room.ts'
import { callsContract } from './contract.ts'
import { callsHandlers } from './handlers.ts'
import { createCalls, type CallsDeps } from './index.ts'

export function callsRoom(deps: CallsDeps) {
  const calls = createCalls(deps)
  return room({ name: 'calls', contract: callsContract, handlers: callsHandlers(calls), api: calls })
}
