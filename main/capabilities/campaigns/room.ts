import { room } from '../room.ts'
import { createAttention } from './attention.ts'
import { campaignsContract } from './contract.ts'
import { campaignsExistence, campaignsHandlers } from './handlers.ts'
import { createCampaigns, type CampaignsDeps } from './index.ts'

export function campaignsRoom(deps: CampaignsDeps) {
  const campaigns = createCampaigns(deps)
  return room({
    name: 'campaigns',
    contract: campaignsContract,
    handlers: campaignsHandlers(campaigns),
    existence: campaignsExistence(campaigns),
    api: campaigns,
    recover: campaigns.recover,
    start: campaigns.start,
    stop: campaigns.stop,
    chores: [campaigns.retention],
    attention: createAttention(deps),
  })
}
