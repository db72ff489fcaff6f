import { describe, expect, test } from 'vitest'
import { wrapSelection } from '../../../renderer/rooms/campaigns/insert-text.ts'
import { sumDays } from '../../../renderer/rooms/campaigns/load.ts'
import { PACE_VALUES, paceOf, readNumber, safenessOf } from '../../../renderer/rooms/campaigns/pace.ts'
import {
  countRounded,
  guessColumns,
  inOwnFile,
  listVariableColumns,
  toPeopleCsv,
} from '../../../renderer/rooms/campaigns/people-csv.ts'
import { readPeopleText } from '../../../renderer/rooms/campaigns/people-file.ts'
import { summarizeSafety } from '../../../renderer/rooms/campaigns/safety.ts'
import { splitDuration } from '../../../renderer/rooms/campaigns/use-duration-text.ts'
import { bestVariation } from '../../../renderer/rooms/campaigns/variations.ts'

describe('the columns of a list', () => {
  test('are found by name in every language; others become variables', async () => {
    const table = await readPeopleText('Cidade;Celular;Nome\nRecife;5581988887777;"Ana; ""A"""\n')
    const columns = guessColumns(table)
    expect(columns).toEqual({ phone: 1, name: 2, left: [] })
    expect(listVariableColumns(table, columns)).toEqual([0])
    expect(toPeopleCsv(table, columns)).toBe('phone,name,Cidade\n5581988887777,"Ana; ""A""",Recife')
  })

  test('are found by content without a header; unnamed columns are not variables', async () => {
    const table = await readPeopleText('Ana;+1 202 555 0147;gold\nBen;+1 202 555 0148;silver\n')
    expect(guessColumns(table)).toEqual({ phone: 1, name: 0, left: [2] })
  })

  test('problems have the line numbers of the person’s file', async () => {
    const table = await readPeopleText('phone\n12025550147\n\n12\n5.51E+12\n')
    const problem = { line: 3, phone: '12', reason: 'too_short' as const }
    expect(inOwnFile([problem], table)).toEqual([{ ...problem, line: 4 }])
    expect(countRounded(table, 0)).toBe(1)
  })
})

test('inserts a variable at the caret and marks around the selection', () => {
  expect(wrapSelection({ text: 'Hi !', start: 3, end: 3 }, { put: '{{name}}' })).toEqual({
    text: 'Hi {{name}}!',
    start: 11,
    end: 11,
  })
  const bold = { before: '*', after: '*', example: 'text' }
  expect(wrapSelection({ text: 'a b c', start: 2, end: 3 }, bold)).toEqual({ text: 'a *b* c', start: 3, end: 4 })
  expect(wrapSelection({ text: '', start: 0, end: 0 }, bold)).toEqual({ text: '*text*', start: 1, end: 5 })
})

test('sums the days of all numbers and keeps days without sends', () => {
  const load = [
    { days: [{ day: '2026-03-06', sends: 3 }] },
    { days: ['2026-03-06', '2026-03-09'].map((day) => ({ day, sends: 1 })) },
  ]
  expect(sumDays(load).map(({ sends }) => sends)).toEqual([4, 0, 0, 1])
  expect(sumDays([])).toEqual([])
})

test('a pace is recognized by its values, and the worst of the risks decides how safe it is', () => {
  expect(paceOf(PACE_VALUES.careful)).toBe('careful')
  expect(paceOf({ ...PACE_VALUES.careful, minDelay: 21 })).toBeUndefined()
  const of = (...severities: ('info' | 'warning' | 'error')[]) =>
    safenessOf(severities.map((severity) => ({ severity })))
  expect([of(), of('info'), of('warning'), of('warning', 'warning', 'warning'), of('warning', 'error')]).toEqual([
    ...['safe', 'safe', 'watch', 'risky', 'blocked'],
  ])
  expect([readNumber('12', { max: 20 }), readNumber('', { max: 20 }), readNumber('21', { max: 20 })]).toEqual([
    ...[12, undefined, undefined],
  ])
})

test('the rest of today’s limit is low before it is used up', () => {
  const today = { sent: 10, limit: 50, first_contacts: 5, first_contacts_limit: 20 }
  expect(summarizeSafety({ today, restriction: null })).toEqual({ tone: 'good', left: 40, leftFirst: 15 })
  expect(summarizeSafety({ today: { ...today, sent: 45 }, restriction: null }).tone).toBe('low')
  expect(summarizeSafety({ today: { ...today, sent: 60 }, restriction: null })).toMatchObject({
    tone: 'stopped',
    left: 0,
  })
  const restriction = { active: true, kind: 'reachout', until: null }
  expect(summarizeSafety({ today, restriction }).tone).toBe('stopped')
})

test('a duration has its two largest units', () => {
  expect(splitDuration(20)).toEqual([['minute', 1]])
  expect(splitDuration(3 * 3_600 + 300)).toEqual([
    ['hour', 3],
    ['minute', 5],
  ])
  expect(splitDuration(2 * 86_400)).toEqual([['day', 2]])
})

test('a variation is best only with enough recipients and a clear lead', () => {
  const of = (variation: number, sent: number, replied: number) => ({ variation, sent, replied, read: 0 })
  expect(bestVariation([of(1, 50, 20), of(2, 50, 10)])).toBe(1)
  expect(bestVariation([of(1, 50, 11), of(2, 50, 10)])).toBeUndefined()
  expect(bestVariation([of(1, 50, 20), of(2, 10, 0)])).toBeUndefined()
  expect(bestVariation([of(1, 50, 0), of(2, 50, 0)])).toBeUndefined()
})
