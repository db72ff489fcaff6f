import { useI18n } from 'vue-i18n'
import { formatter } from '../../app/time.ts'

/** Times of calls in the language and the time zone of the window, or in another zone. */
export function useCallTimes() {
  const { locale } = useI18n()
  const shown = (atMs: number, form: Intl.DateTimeFormatOptions, zone?: string) =>
    formatter(locale.value, { ...form, ...(zone !== undefined && { timeZone: zone }) }).format(atMs)
  return {
    /** “Monday, March 2” */
    day: (atMs: number) => shown(atMs, { weekday: 'long', day: 'numeric', month: 'long' }),
    /** “9:30 AM” */
    time: (atMs: number) => shown(atMs, { hour: 'numeric', minute: '2-digit' }),
    /** “Mon, Mar 2, 9:30 AM” */
    dateTime: (atMs: number, zone?: string) =>
      shown(atMs, { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' }, zone),
  }
}
