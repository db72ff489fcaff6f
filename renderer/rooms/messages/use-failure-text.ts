import { useI18n } from 'vue-i18n'
import { REASON_CODES } from './reasons.ts'

interface Failure {
  readonly code: string
  readonly provider_code?: number | null
}

/** @returns the text about why a message failed, with the code of the network, for its support. */
export function useFailureText(): (failure: Failure | null) => string {
  const { t } = useI18n()
  return (failure) => {
    const code = failure?.code ?? 'unknown'
    const text = t(`messages.reason.${REASON_CODES.includes(code) ? code : 'unknown'}`)
    const network = failure?.provider_code ?? null
    return network === null ? text : t('messages.withCode', { text, code: network })
  }
}
