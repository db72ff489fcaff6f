import { accountRoom } from '../account/room.ts'
import { defineRoom } from '../room.ts'
import { usageContract } from './contract.ts'
import { usageHandlers } from './handlers.ts'
import { createUsage, type UsageDeps } from './index.ts'

export const usageRoom = defineRoom({
  name: 'usage',
  contract: usageContract,
  uses: { account: accountRoom },
  build(deps: Omit<UsageDeps, 'timeZoneOf'>, { account }) {
    const usage = createUsage({ ...deps, timeZoneOf: account.timeZoneOf })
    return { handlers: usageHandlers(usage), api: usage }
  },
})
