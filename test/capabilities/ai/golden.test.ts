import { describe, expect, test } from 'vitest'
import { THRESHOLDS } from '../../../main/kernel/search/index.ts'
import { askAll, businesses, figures } from './golden-set.ts'

const half = (name: 'tuning' | 'report') => businesses.filter((business) => business.half === name)
const percent = (share: number) => `${(100 * share).toFixed(1)} %`

describe('200 questions as people write them, to the FAQs of small businesses', () => {
  test('are in three languages, and each half has questions without an answer', () => {
    const all = figures(askAll(businesses))
    expect(all.questions).toBeGreaterThanOrEqual(200)
    expect(new Set(businesses.map(({ language }) => language))).toEqual(new Set(['pt', 'es', 'en']))
    for (const name of ['tuning', 'report'] as const) {
      const { questions, answerable } = figures(askAll(half(name)))
      expect(questions - answerable).toBeGreaterThanOrEqual(20)
    }
  })

  test.each([
    ['the half that thresholds were chosen with', half('tuning')],
    ['the other half', half('report')],
    ['all', businesses],
  ])('%s: the right answer comes first, and hardly any wrong one is sent', (name, of) => {
    const { questions, topRight, wrongSent, answeredRight } = figures(askAll(of))
    process.stdout.write(
      `${name}: ${questions} questions, right answer on top ${percent(topRight)}, wrong answers sent ${percent(wrongSent)}, ` +
        `answered without a person ${percent(answeredRight)} of those with an answer\n`,
    )
    expect(topRight).toBeGreaterThanOrEqual(0.9)
    expect(wrongSent).toBeLessThan(0.03)
    expect(answeredRight).toBeGreaterThanOrEqual(0.7)
  })

  test('lower thresholds would send more wrong answers, higher ones fewer right ones', () => {
    const outcomes = askAll(half('tuning'))
    const at = (confidence: number, margin: number) =>
      figures(outcomes, (result) => result.confidence >= confidence && result.margin >= margin)
    const chosen = at(THRESHOLDS.confidence, THRESHOLDS.margin)
    expect(chosen.wrongSent).toBe(0)
    expect(at(0, 0).wrongSent).toBeGreaterThan(0.1)
    expect(at(0.55, 0.3).answeredRight).toBeLessThan(chosen.answeredRight - 0.1)
  })
})
