import { useI18n } from 'vue-i18n'

/** Why somebody was not reached, for a code of the service: that of a message, or why a person was skipped. */
export function useReasonText(): (code: string) => string {
  const { t, te } = useI18n()
  return (code) => {
    const own = `campaigns.reason.${code}`
    if (te(own, 'en')) return t(own)
    const known = `messages.reason.${code}`
    return te(known, 'en') ? t(known) : t('campaigns.reason.other', { code })
  }
}
