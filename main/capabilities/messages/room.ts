import { accountRoom } from '../account/room.ts'
import { contactsRoom } from '../contacts/room.ts'
import { costsRoom } from '../costs/room.ts'
import { entitlementsRoom } from '../entitlements/room.ts'
import { eventsRoom } from '../events/room.ts'
import { fusionRoom } from '../fusion/room.ts'
import { instancesRoom } from '../instances/room.ts'
import { optOutsRoom } from '../opt-outs/room.ts'
import { defineRoom } from '../room.ts'
import { safetyRoom } from '../safety/room.ts'
import { usageRoom } from '../usage/room.ts'
import { messagesContract } from './contract.ts'
import type { MessagesDeps } from './deps.ts'
import { messagesHandlers } from './handlers.ts'
import { createMessages } from './index.ts'

type Given = 'instances' | 'fusion' | 'safety' | 'usage' | 'entitlements' | 'prices' | 'isSuspended'

export const messagesRoom = defineRoom({
  name: 'messages',
  contract: messagesContract,
  uses: {
    account: accountRoom,
    contacts: contactsRoom,
    entitlements: entitlementsRoom,
    events: eventsRoom,
    fusion: fusionRoom,
    instances: instancesRoom,
    optOuts: optOutsRoom,
    prices: costsRoom,
    safety: safetyRoom,
    usage: usageRoom,
  },
  build(deps: Omit<MessagesDeps, Given>, { account, contacts, optOuts, ...rooms }) {
    const messages = createMessages({ ...deps, ...rooms, isSuspended: account.isSuspended })
    return {
      handlers: messagesHandlers(messages, optOuts.consentOf, contacts.addressesOf),
      api: messages,
      recover: messages.recover,
      start: messages.start,
      stop: messages.stop,
      attention: messages.attention,
    }
  },
})
