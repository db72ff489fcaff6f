import type { Handlers } from '../handler.ts'
import type { lineSettingsContract } from './contract.ts'
import type { LineSettings } from './index.ts'

export function lineSettingsHandlers(settings: LineSettings): Handlers<typeof lineSettingsContract> {
  return {
    getLineSettings: ({ instance }) => settings.read(instance),
    updateLineSettings: ({ instance, body, requireAccess }) => settings.update(instance, body, requireAccess),
  }
}
