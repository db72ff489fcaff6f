import { daysFrom, dayWord, timeText } from '../../app/time.ts'

/** In a list: the time today, the weekday within a week, else the date. */
export function shortTime(at: string, nowMs: number, locale: string): string {
  if (new Date(at).toDateString() === new Date(nowMs).toDateString()) return clockTime(at, locale)
  const days = daysFrom(Date.parse(at), nowMs)
  return timeText(at, { form: days > 0 && days < 7 ? 'weekday' : 'day', locale, nowMs })
}

export const clockTime = (at: string, locale: string): string => timeText(at, { form: 'clock', locale })

/** Over the messages of a day: “today”, “yesterday”, else the day in full. */
export function dayName(at: string, nowMs: number, locale: string): string {
  const days = daysFrom(nowMs, Date.parse(at))
  return days === 0 || days === -1 ? dayWord(days, locale) : timeText(at, { form: 'weekdayDay', locale, nowMs })
}
