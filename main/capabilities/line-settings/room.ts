import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { lineSettingsContract } from './contract.ts'
import { lineSettingsHandlers } from './handlers.ts'
import { createLineSettings, type LineSettingsDeps } from './index.ts'

export const lineSettingsRoom = defineRoom({
  name: 'line-settings',
  contract: lineSettingsContract,
  uses: { instances: instancesRoom },
  build(deps: Omit<LineSettingsDeps, 'instances'>, rooms) {
    const settings = createLineSettings({ ...deps, ...rooms })
    return { handlers: lineSettingsHandlers(settings), api: settings }
  },
})
