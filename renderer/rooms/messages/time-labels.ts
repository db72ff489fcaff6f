import { daysFrom, dayWord, timeText } from '../../app/time.ts'

/** The time in a list: the clock time if it is today, the weekday within a week, otherwise the date. */
export function shortTime(at: string, nowMs: number, locale: string): string {
  if (new Date(at).toDateString() === new Date(nowMs).toDateString()) return clockTime(at, locale)
  const days = daysFrom(Date.parse(at), nowMs)
  return timeText(at, { form: days > 0 && days < 7 ? 'weekday' : 'day', locale, nowMs })
}

export const clockTime = (at: string, locale: string): string => timeText(at, { form: 'clock', locale })

/** The heading of a day: “today”, “yesterday”, otherwise the full date. */
export function dayName(at: string, nowMs: number, locale: string): string {
  const days = daysFrom(nowMs, Date.parse(at))
  return days === 0 || days === -1 ? dayWord(days, locale) : timeText(at, { form: 'weekdayDay', locale, nowMs })
}
