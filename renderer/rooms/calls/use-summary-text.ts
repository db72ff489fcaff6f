import { useI18n } from 'vue-i18n'
import { extractOf } from '../../../main/contract/call-extract.ts'
import type { CallReview, VoiceCall } from '../../../main/contract/voice.ts'
import { clockText } from '../../parts/clock-text.ts'

/** @returns the summary of a call: a model wrote it in the language of the call, and the window says the others in its own. */
export function useSummaryText() {
  const { t, n } = useI18n()
  return (call: Pick<VoiceCall, 'duration_seconds'>, review: CallReview): string | null => {
    const { summary, summary_by: by, transcript } = review
    if (summary === null || by !== 'extract' || transcript.length === 0) return summary
    const { agentLines, personLines, quotes, areQuestions } = extractOf(transcript)
    const time = clockText((call.duration_seconds ?? 0) * 1_000)
    const said = quotes.map((text) => t('recordings.summary.extract.quote', { text })).join(' ')
    return [
      t('recordings.summary.extract.lines', { time, agent: n(agentLines), person: n(personLines) }),
      said === ''
        ? t('recordings.summary.extract.silent')
        : t(`recordings.summary.extract.${areQuestions ? 'asked' : 'said'}`, { said }),
    ].join(' ')
  }
}
