import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { lineSettingsContract } from './contract.ts'
import { lineSettingsHandlers } from './handlers.ts'
import { createLineSettings, type LineSettingsDeps } from './index.ts'

export const lineSettingsRoom = defineRoom({
  name: 'line-settings',
  contract: lineSettingsContract,
  uses: { instances: instancesRoom },
  build(ground: Omit<LineSettingsDeps, 'instances'>, rooms) {
    const settings = createLineSettings({ ...ground, ...rooms })
    return { handlers: lineSettingsHandlers(settings), api: settings }
  },
})
