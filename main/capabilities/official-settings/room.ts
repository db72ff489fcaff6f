import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { officialSettingsContract } from './contract.ts'
import { officialSettingsHandlers } from './handlers.ts'
import { createOfficialSettings, type OfficialSettingsDeps } from './index.ts'

export const officialSettingsRoom = defineRoom({
  name: 'official-settings',
  contract: officialSettingsContract,
  uses: { instances: instancesRoom },
  build(deps: Omit<OfficialSettingsDeps, 'instances'>, rooms) {
    const { versions, usernames, conversational, attention } = createOfficialSettings({ ...deps, ...rooms })
    return { handlers: officialSettingsHandlers(versions, usernames, conversational), api: undefined, attention }
  },
})
