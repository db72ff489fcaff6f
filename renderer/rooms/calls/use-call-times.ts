import { useI18n } from 'vue-i18n'
import { timeText } from '../../app/time.ts'

/** Times of calls in the language and the time zone of the window, or in another zone. */
export function useCallTimes() {
  const { locale } = useI18n()
  return {
    /** “Monday, March 2” */
    day: (atMs: number) => timeText(atMs, { form: 'weekdayDay', locale: locale.value }),
    /** “9:30 AM” */
    time: (atMs: number) => timeText(atMs, { form: 'clock', locale: locale.value }),
    /** “Mon, Mar 2, 9:30 AM” */
    dateTime: (atMs: number, zone?: string) => timeText(atMs, { form: 'weekdayTime', locale: locale.value, zone }),
  }
}
