import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { amountOf, moneyText } from '../../../renderer/app/money.ts'
import { listText } from '../../../renderer/app/names.ts'
import { limitText, percentText, requestDuration, shortDuration, sizeText } from '../../../renderer/app/numbers.ts'
import { wallClockMs } from '../../../main/contract/zone-time.ts'
import { soonText, timeText } from '../../../renderer/app/time.ts'

const plain = (text: string) => text.replaceAll(/\s/g, ' ')
const at = (day: number, hour: number) => new Date(2026, 2, day, hour, 19, 43).getTime()
const nowMs = at(5, 12)

describe('moments', () => {
  test('have one format per language, with the year if it is not the current one', () => {
    const shown = (form: Parameters<typeof timeText>[1]['form'], locale: string) =>
      plain(timeText(at(5, 20), { form, locale, nowMs }))
    expect(shown('date', 'en')).toBe('Mar 5, 2026')
    expect(shown('dayTime', 'en')).toBe('Mar 5, 8:19 PM')
    expect(shown('dayTime', 'pt-BR')).toBe('5 de mar., 20:19')
    expect(shown('dayTime', 'es')).toBe('5 mar, 20:19')
    expect(plain(timeText(new Date(2025, 1, 1), { form: 'day', locale: 'en', nowMs }))).toBe('Feb 1, 2025')
    expect(plain(timeText('2026-03-01', { form: 'day', locale: 'en', zone: 'UTC', nowMs }))).toBe('Mar 1')
  })

  test('are named by the day if they are recent', () => {
    const soon = (ms: number, locale: string) => plain(soonText(ms, nowMs, locale))
    expect(soon(at(5, 20), 'en')).toBe('8:19 PM')
    expect(soon(at(6, 8), 'en')).toBe('tomorrow, 8:19 AM')
    expect(soon(at(6, 8), 'es')).toBe('mañana, 8:19')
    expect(soon(at(9, 8), 'en')).toBe('Mar 9, 8:19 AM')
  })

  test('are shown in a time zone', () => {
    expect(wallClockMs(Date.UTC(2026, 2, 5, 2), 'America/Sao_Paulo')).toBe(Date.UTC(2026, 2, 4, 23))
  })
})

describe('numbers', () => {
  test('of bytes are sizes, and limits are rounded', () => {
    expect([617, 48_211, 1_204_221].map((bytes) => sizeText(bytes, 'en'))).toEqual(['617 bytes', '48 kB', '1.2 MB'])
    expect([20 * 1024 * 1024, 16 * 1024 * 1024, 209_900].map((bytes) => limitText(bytes, 'en'))).toEqual([
      '20 MB',
      '16 MB',
      '200 kB',
    ])
  })

  test('of time have the largest unit', () => {
    expect([5, 65, 7_300, 200_000].map((seconds) => shortDuration(seconds, 'en'))).toEqual([
      '5 sec',
      '1 min',
      '2 hr',
      '2 days',
    ])
    expect([389, 1_250].map((ms) => requestDuration(ms, 'en'))).toEqual(['389 ms', '1.3 sec'])
  })

  test('of money, percentages and lists follow the language', () => {
    expect(plain(moneyText(1_234_500, 'usd', 'pt-BR'))).toBe('US$ 12.345,00')
    expect(amountOf(0.0004, 'USD', 'en', 4)).toBe('$0.0004')
    expect(plain(percentText(91, 'es'))).toBe('91 %')
    expect(listText(['a', 'b'], 'pt-BR')).toBe('a e b')
  })
})

describe('the views', () => {
  const RENDERER = resolve(import.meta.dirname, '../../../renderer')
  const FORMATTERS = ['time', 'numbers', 'names', 'money'].map((name) => join('app', `${name}.ts`))
  /** What orders or splits text shows nothing by itself. */
  const BY_HAND = [
    /\btoLocale(?:Date|Time)?String\b/,
    /\bIntl\.(?!Collator|Segmenter|supportedValuesOf)\w+/,
    /\.toFixed\(/,
    /\}\}\s?(?:%|ms|kB|MB|GB)(?!\w)/,
    /\$\{[^}]*\} (?:ms|kB|MB|GB)\b/,
  ]

  test('format no number, date, size, duration or amount by hand', () => {
    const found = readdirSync(RENDERER, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(vue|ts)$/.test(file) && !FORMATTERS.includes(file))
      .flatMap((file) =>
        readFileSync(join(RENDERER, file), 'utf8')
          .split('\n')
          .filter((line) => BY_HAND.some((pattern) => pattern.test(line)))
          .map((line) => `${file}: ${line.trim()}`),
      )
    expect(found).toEqual([])
  })

  test('format the numbers of charts themselves, because the library writes English', () => {
    const charts = readdirSync(RENDERER, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.vue'))
      .map((file) => ({ file, text: readFileSync(join(RENDERER, file), 'utf8') }))
      .filter(({ text }) => text.includes("type: 'value'"))
    expect(charts.map(({ file }) => file)).toEqual([join('parts', 'TimeChart.vue')])
    for (const { text } of charts)
      expect(text).toMatch(/formatter: countText[^]*valueFormatter|valueFormatter: countText[^]*formatter: countText/)
  })
})
