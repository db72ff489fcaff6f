import { expect, test } from 'vitest'
import { goal, show } from './lib/report.ts'
import { merged, section } from './lib/results.ts'

test('a goal is met at its limit or not, as declared, and never without a measurement', () => {
  expect(goal('rate', 0.7, 'at least', 0.7).isMet).toBe(true)
  expect(goal('rate', 0.69, 'at least', 0.7).isMet).toBe(false)
  expect(goal('CPU', 0.4, 'at most', 0.4).isMet).toBe(true)
  expect(goal('p99', 20, 'below', 20, 'ms').isMet).toBe(false)
  expect(goal('rate', Number.NaN, 'at least', 2)).toMatchObject({ isMet: false, measured: 'not measured' })
})

test('a report is a table, then the goals met and missed, then notes', () => {
  const goals = [goal('p99', 12.345, 'below', 20, 'ms'), goal('rate', 0.5, 'at least', 2)]
  const shown = show({ title: 'Pages', rows: [{ page: 'first', ms: 12.345 }], goals, notes: ['A note.'] })
  expect(shown).toBe(
    [
      '### Pages',
      '',
      '| page  |   ms |',
      '|-------|-----:|',
      '| first | 12.3 |',
      '',
      '- met: p99: below 20 ms (12.3 ms)',
      '- MISSED: rate: at least 2 (0.5)',
      '',
      'A note.',
    ].join('\n'),
  )
})

test('the stored result of one program is shown with the results of the others', () => {
  const order = ['reads', 'pages']
  const report = (title: string, measured: number) => ({ title, rows: [], goals: [goal('p99', measured, 'below', 20)] })
  const first = merged('', [section('pages', [report('Old', 30)]), section('reads', [report('Reads', 1)])], order)
  expect(first).toContain('1 of 2 goals met')
  const second = merged(first, [section('pages', [report('New', 10)])], order)
  expect(second).toContain('2 of 2 goals met')
  expect(second.match(/^##+ .*$/gm)).toEqual(['## reads', '### Reads', '## pages', '### New'])
  expect(merged(second, [], ['pages'])).not.toContain('Reads')
})
