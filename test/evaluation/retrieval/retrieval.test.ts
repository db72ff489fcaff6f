import { beforeAll, test } from 'vitest'
import { KINDS, LANGUAGES } from './evaluation-set.ts'
import { askAll, tableOf, type Outcome } from './retrieval-run.ts'

let outcomes: readonly Outcome[] = []
beforeAll(async () => {
  outcomes = await askAll()
})

const of = (isOf: (outcome: Outcome) => boolean) => outcomes.filter(isOf)

test('the table', () => {
  const rows: [string, readonly Outcome[]][] = [
    ['all', outcomes],
    ['tuning half', of(({ half }) => half === 'tuning')],
    ['report half', of(({ half }) => half === 'report')],
    ...LANGUAGES.map((language): [string, Outcome[]] => [language, of(({ pair }) => pair.language === language)]),
    ...KINDS.map((kind): [string, Outcome[]] => [kind, of(({ pair }) => pair.kind === kind)]),
  ]
  process.stdout.write(`${tableOf(rows)}\n`)
})
