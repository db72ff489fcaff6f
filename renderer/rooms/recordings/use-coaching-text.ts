import { useI18n } from 'vue-i18n'
import { coachingOf, SLOW_ANSWER_MS, type CoachingNote } from '../../../main/contract/call-extract.ts'
import type { CallReview, VoiceCall } from '../../../main/contract/voice.ts'
import { percentText } from '../../app/numbers.ts'
import { lengthText } from '../../parts/clock-text.ts'

/**
 * @returns the notes about a call. Notes written by a model are in the language of the call; the others are in the
 * language of the window.
 */
export function useCoachingText() {
  const { t, n, locale } = useI18n()

  function noteText(note: CoachingNote): string {
    switch (note.code) {
      case 'spoke_much':
      case 'spoke_little':
        return t(`recordings.note.${note.code}`, { percent: percentText(note.percent, locale.value) })
      case 'slow':
        return t('recordings.note.slow', { slow: n(note.slow), answers: n(note.answers), s: n(SLOW_ANSWER_MS / 1_000) })
      case 'quick':
        return t('recordings.note.quick', { n: n(note.answers), s: n(SLOW_ANSWER_MS / 1_000) }, note.answers)
      default:
        return t(`recordings.note.${note.code}`, { time: lengthText(note.ms) })
    }
  }

  return (call: Pick<VoiceCall, 'duration_seconds'>, review: CallReview): readonly string[] =>
    review.coaching_by === 'extract'
      ? coachingOf(review.transcript, (call.duration_seconds ?? 0) * 1_000).map(noteText)
      : review.coaching
}
