import { useI18n } from 'vue-i18n'
import type { SettingRecord } from '../../../main/capabilities/service/contract.ts'
import { useUndo } from '../../app/undo.ts'
import { useSettings } from './store.ts'

type Value = SettingRecord['value']

/** Changes a setting, and offers to restore the previous value from the file. @throws Problem */
export function useSettingChange(): (setting: SettingRecord, wanted: Value, label: string) => Promise<void> {
  const { t } = useI18n()
  const store = useSettings()
  const tellWithUndo = useUndo()
  return async (setting, wanted, label) => {
    const { name, place, value, next } = setting
    const before = next ? next.value : place === 'file' ? value : null
    await store.change(name, wanted)
    tellWithUndo(t('settings.changed', { name: label }), () => store.change(name, before))
  }
}
