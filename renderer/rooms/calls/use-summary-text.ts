import { useI18n } from 'vue-i18n'
import { extractOf, type CallExtract } from '../../../main/contract/call-extract.ts'
import type { CallReview, VoiceCall } from '../../../main/contract/voice.ts'
import type { Item } from '../../app/operation-types.ts'
import { clockText } from '../../parts/clock-text.ts'

/**
 * Summaries of calls: a model writes them in the language of the call; those without a model are in the window's
 * language.
 */
export function useSummaryText() {
  const { t, n } = useI18n()

  function extractText({ agentLines, personLines, quotes, areQuestions }: CallExtract, seconds: number): string {
    const said = quotes.map((text) => t('recordings.summary.extract.quote', { text })).join(' ')
    return [
      t('recordings.summary.extract.lines', {
        time: clockText(seconds * 1_000),
        agent: n(agentLines),
        person: n(personLines),
      }),
      said === ''
        ? t('recordings.summary.extract.silent')
        : t(`recordings.summary.extract.${areQuestions ? 'asked' : 'said'}`, { said }),
    ].join(' ')
  }

  return {
    ofCall({ duration_seconds: seconds }: Pick<VoiceCall, 'duration_seconds'>, review: CallReview): string | null {
      const { summary, summary_by: by, transcript } = review
      if (summary === null || by !== 'extract' || transcript.length === 0) return summary
      return extractText(extractOf(transcript), seconds ?? 0)
    },
    ofRow({ summary, extract, duration_seconds: seconds }: Item<'listAllVoiceRecordings'>): string {
      if (summary === null || extract === null || extract.agent_lines + extract.person_lines === 0) return summary ?? ''
      const { agent_lines: agentLines, person_lines: personLines, quotes, are_questions: areQuestions } = extract
      return extractText({ agentLines, personLines, quotes, areQuestions }, seconds)
    },
  }
}
