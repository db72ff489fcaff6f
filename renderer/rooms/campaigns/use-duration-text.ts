import { useI18n } from 'vue-i18n'
import { joinParts } from '../../app/names.ts'
import { unitText } from '../../app/numbers.ts'

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

/** “2 days 3 hours”, “about 20 minutes”: only the two largest units. */
export function splitDuration(seconds: number): readonly (readonly ['day' | 'hour' | 'minute', number])[] {
  const minutes = Math.max(1, Math.round(seconds / MINUTE))
  if (minutes * MINUTE < HOUR) return [['minute', minutes]]
  if (seconds < DAY)
    return nonZero([
      ['hour', Math.floor(minutes / 60)],
      ['minute', minutes % 60],
    ])
  const hours = Math.round(seconds / HOUR)
  return nonZero([
    ['day', Math.floor(hours / 24)],
    ['hour', hours % 24],
  ])
}

const nonZero = <T extends readonly (readonly [string, number])[]>(parts: T) =>
  parts.filter(([, count]) => count > 0) as unknown as T

/** How long something takes, in the language of the window. */
export function useDurationText(): (seconds: number) => string {
  const { locale } = useI18n()
  return (seconds) => {
    const parts = splitDuration(seconds).map(([unit, count]) =>
      unitText({ value: count, unit, display: 'long' }, locale.value),
    )
    return joinParts(parts, locale.value)
  }
}
