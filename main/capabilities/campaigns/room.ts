import { accountRoom } from '../account/room.ts'
import { contactsRoom } from '../contacts/room.ts'
import { costsRoom } from '../costs/room.ts'
import { entitlementsRoom } from '../entitlements/room.ts'
import { instancesRoom } from '../instances/room.ts'
import { messagesRoom } from '../messages/room.ts'
import { optOutsRoom } from '../opt-outs/room.ts'
import { defineRoom } from '../room.ts'
import { safetyRoom } from '../safety/room.ts'
import { createAttention } from './attention.ts'
import { campaignsContract } from './contract.ts'
import { campaignsExistence, campaignsHandlers } from './handlers.ts'
import { createCampaigns, type CampaignsDeps } from './index.ts'

type Given = 'costs' | 'contacts' | 'instances' | 'messages' | 'optOuts' | 'safety' | 'isSuspended' | 'refusalOf'

export const campaignsRoom = defineRoom({
  name: 'campaigns',
  contract: campaignsContract,
  uses: {
    account: accountRoom,
    contacts: contactsRoom,
    costs: costsRoom,
    entitlements: entitlementsRoom,
    instances: instancesRoom,
    messages: messagesRoom,
    optOuts: optOutsRoom,
    safety: safetyRoom,
  },
  build(given: Omit<CampaignsDeps, Given>, { account, entitlements, ...rooms }) {
    const deps: CampaignsDeps = {
      ...{ ...given, ...rooms },
      isSuspended: account.isSuspended,
      refusalOf: entitlements.refusalOf,
    }
    const campaigns = createCampaigns(deps)
    return {
      handlers: campaignsHandlers(campaigns),
      existence: campaignsExistence(campaigns),
      api: campaigns,
      recover: campaigns.recover,
      start: campaigns.start,
      stop: campaigns.stop,
      chores: [campaigns.retention],
      attention: createAttention(deps),
      movePerson: campaigns.movePerson,
    }
  },
})
