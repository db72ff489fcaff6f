import { useI18n } from 'vue-i18n'
import { useAccess } from './access.ts'

/**
 * For texts that differ by reader, because not everybody can do the same about it: `voice.noSlot.text.client`,
 * otherwise `.any`, otherwise the key itself.
 */
export function useReaderText(): (key: string, params?: Readonly<Record<string, string | number>>) => string {
  const { t, te } = useI18n()
  const access = useAccess()
  return (key, params = {}) => {
    const audience = access.audience()
    const forms = [...(audience === undefined ? [] : [`${key}.${audience}`]), `${key}.any`]
    return t(forms.find((form) => te(form)) ?? key, params)
  }
}
