import { beforeAll, expect, test } from 'vitest'
import { KINDS, LANGUAGES } from './evaluation-set.ts'
import { askAll, figuresOf, tableOf, type Outcome } from './retrieval-run.ts'

let outcomes: readonly Outcome[] = []
beforeAll(async () => {
  outcomes = await askAll()
})

const of = (isOf: (outcome: Outcome) => boolean) => outcomes.filter(isOf)
const ofHalf = (name: Outcome['half']) => of(({ half }) => half === name)

test('both halves have answerable and unanswerable questions in every language', () => {
  for (const half of ['tuning', 'report'] as const) {
    const asked = ofHalf(half)
    expect(new Set(asked.map(({ pair }) => pair.language))).toEqual(new Set(LANGUAGES))
    expect(asked.filter(({ pair }) => pair.answers.length === 0).length).toBeGreaterThan(20)
    expect(asked.length).toBeGreaterThan(190)
  }
})

test('the passages that an agent gets hold the answer as often as README.md says', () => {
  const rows: [string, readonly Outcome[]][] = [
    ['all', outcomes],
    ['tuning half', ofHalf('tuning')],
    ['report half', ofHalf('report')],
    ...LANGUAGES.map((language): [string, Outcome[]] => [language, of(({ pair }) => pair.language === language)]),
    ...KINDS.map((kind): [string, Outcome[]] => [kind, of(({ pair }) => pair.kind === kind)]),
  ]
  process.stdout.write(`${tableOf(rows)}\n`)
  for (const [half, least] of [
    ['tuning', LEAST.tuning],
    ['report', LEAST.report],
  ] as const) {
    const { recallAt1, recallAt3, recallAt5, precision, reciprocalRank, ...rest } = figuresOf(ofHalf(half))
    const { sentRight, sentWrong, nothingFound, nothingSent } = rest
    const reached = { recallAt1, recallAt3, recallAt5, precision, reciprocalRank, sentRight, nothingFound, nothingSent }
    const tooLow = Object.entries(least).filter(([name, value]) => reached[name as keyof typeof reached] < value)
    expect({ half, tooLow, reached }).toMatchObject({ tooLow: [] })
    expect(sentWrong).toBeLessThan(0.04)
  }
})

/** What was reached, less about two questions. */
const LEAST = {
  tuning: {
    ...{ recallAt1: 0.83, recallAt3: 0.94, recallAt5: 0.96, precision: 0.35, reciprocalRank: 0.885 },
    ...{ sentRight: 0.45, nothingFound: 0.1, nothingSent: 0.9 },
  },
  report: {
    ...{ recallAt1: 0.73, recallAt3: 0.87, recallAt5: 0.9, precision: 0.31, reciprocalRank: 0.8 },
    ...{ sentRight: 0.43, nothingFound: 0.03, nothingSent: 0.88 },
  },
}
