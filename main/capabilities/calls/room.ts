import { entitlementsRoom } from '../entitlements/room.ts'
import { instancesRoom } from '../instances/room.ts'
import { messagesRoom } from '../messages/room.ts'
import { defineRoom } from '../room.ts'
import { callsContract } from './contract.ts'
import { callsHandlers } from './handlers.ts'
import { createCalls, type CallsDeps } from './index.ts'

export const callsRoom = defineRoom({
  name: 'calls',
  contract: callsContract,
  uses: { entitlements: entitlementsRoom, instances: instancesRoom, messages: messagesRoom },
  build(deps: Omit<CallsDeps, 'instances' | 'messages' | 'refusalOf'>, { entitlements, ...rooms }) {
    const calls = createCalls({ ...deps, ...rooms, refusalOf: entitlements.refusalOf })
    return { handlers: callsHandlers(calls), api: calls }
  },
})
