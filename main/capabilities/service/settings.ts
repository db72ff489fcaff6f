import type { SettingRecord } from './contract/settings.ts'

/** The settings of the running service, for the person who may change them. */
export interface SettingsEditor {
  list(): SettingRecord[]
  /** @param wanted values by name; null restores the default. @throws ApiError and changes nothing. */
  change(wanted: Readonly<Record<string, unknown>>): Promise<void>
}
