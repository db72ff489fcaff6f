import { room } from '../room.ts'
import { lineSettingsContract } from './contract.ts'
import { lineSettingsHandlers } from './handlers.ts'
import { createLineSettings, type LineSettingsDeps } from './index.ts'

export function lineSettingsRoom(deps: LineSettingsDeps) {
  const settings = createLineSettings(deps)
  return room({
    name: 'line-settings',
    contract: lineSettingsContract,
    handlers: lineSettingsHandlers(settings),
    api: settings,
  })
}
