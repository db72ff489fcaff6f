import { useI18n } from 'vue-i18n'
import type { VoiceCall } from '../../../main/contract/voice.ts'
import { numberText } from '../../parts/number-text.ts'
import { personNumber, type CallRow } from './call-state.ts'

/** Calls in the language of the window. */
export function useCallWords() {
  const { t } = useI18n()

  function personText(call: VoiceCall, name: string | null): string {
    const number = personNumber(call)
    if (name !== null) return name
    if (number !== null) return numberText(number)
    return t(call.widget_id === null ? 'calls.hidden' : 'recordings.visitor')
  }
  /** Why it ended; '' if its state says everything, or it is running. */
  function reasonText({ status, end_reason: reason }: Pick<VoiceCall, 'status' | 'end_reason'>): string {
    if (reason === null || reason === status) return ''
    return t(reason === 'operator_hung_up' ? 'calls.hungUpHere' : `softphone.reason.${reason}`)
  }
  return { personText, rowText: (row: CallRow) => personText(row, row.person_name), reasonText }
}
