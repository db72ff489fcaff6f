import { useI18n } from 'vue-i18n'

/** @returns `Chrome on Windows` as the service writes it, translated to the window's language. */
export function useBrowserText(): (name: string) => string {
  const { t } = useI18n()
  return (name) => {
    const [browser = name, system] = name.split(' on ')
    return system === undefined ? browser : t('common.browserOn', { browser, system })
  }
}
