import { useI18n } from 'vue-i18n'
import { useProblemText } from '../../app/use-problem-text.ts'

/** Why a person was not reached, for an error code of a message or a reason for skipping. */
export function useReasonText(): (code: string) => string {
  const { t, te } = useI18n()
  const textOf = useProblemText()
  return (code) => {
    const own = `campaigns.reason.${code}`
    if (te(own)) return t(own)
    const known = `messages.reason.${code}`
    if (te(known)) return t(known)
    const refusal = `problems.title.${code}`
    return te(refusal) ? textOf({ code, operation: 'sendMessage' }).text : t('campaigns.reason.other', { code })
  }
}
