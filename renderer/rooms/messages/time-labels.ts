import { formatter, relative } from '../../app/time.ts'

/** In a list: the time today, the weekday within a week, else the date. */
export function shortTime(at: string, nowMs: number, locale: string): string {
  const [then, now] = [new Date(at), new Date(nowMs)]
  if (then.toDateString() === now.toDateString()) return clockTime(at, locale)
  const days = (nowMs - then.getTime()) / 86_400_000
  if (days >= 0 && days < 6) return formatter(locale, { weekday: 'short' }).format(then)
  const isThisYear = then.getFullYear() === now.getFullYear()
  return formatter(
    locale,
    isThisYear ? { day: 'numeric', month: 'short' } : { day: 'numeric', month: 'numeric', year: '2-digit' },
  ).format(then)
}

export const clockTime = (at: string, locale: string): string =>
  formatter(locale, { hour: 'numeric', minute: '2-digit' }).format(new Date(at))

/** Over the messages of a day: “today”, “yesterday”, else the day in full. */
export function dayName(at: string, nowMs: number, locale: string): string {
  const then = new Date(at)
  const startOf = (ms: number) => new Date(ms).setHours(0, 0, 0, 0)
  const days = Math.round((startOf(then.getTime()) - startOf(nowMs)) / 86_400_000)
  if (days === 0 || days === -1) return relative(locale).format(days, 'day')
  const isThisYear = then.getFullYear() === new Date(nowMs).getFullYear()
  return formatter(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(!isThisYear && { year: 'numeric' }),
  }).format(then)
}
