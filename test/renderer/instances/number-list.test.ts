import { expect, test } from 'vitest'
import { numberColumnOf, readNumberList } from '../../../renderer/rooms/instances/number-list.ts'

test('parses numbers in any spelling, each once, and counts invalid ones', () => {
  const text =
    '+1 (202) 555-0101\n="12025550102"\r\n\u202A+1\u00A0202\u00A0555\u20110103\u202C, tel:+12025550104;1 202 555 0101\n\nAna\n12'
  expect(readNumberList(text)).toEqual({
    numbers: ['12025550101', '12025550102', '12025550103', '12025550104'],
    wrong: 2,
  })
  expect(readNumberList(' \n ')).toEqual({ numbers: [], wrong: 0 })
})

test('takes the column of a file with a usual name', () => {
  const rows = [
    ['Name', 'Teléfono móvil', 'Order'],
    ['Ana', '+52 55 1234 5678', '100200300'],
    ['Luz', '', '100200301'],
  ]
  expect(numberColumnOf(rows)).toEqual(['+52 55 1234 5678'])
})

test('without such a name takes the column with the most numbers', () => {
  expect(numberColumnOf([['12025550101'], ['12025550102']])).toEqual(['12025550101', '12025550102'])
  const rows = [
    ['Who', 'Reach'],
    ['Ana', '12025550101'],
    ['Luz', 'none'],
  ]
  expect(numberColumnOf(rows)).toEqual(['12025550101', 'none'])
  for (const none of [[], [['Name'], ['Ana']]]) expect(numberColumnOf(none)).toEqual([])
})
