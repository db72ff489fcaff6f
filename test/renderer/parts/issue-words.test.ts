import { expect, test } from 'vitest'
import { nameGroups } from '../../../renderer/parts/group-names.ts'

test('shows groups of an issue by name and counts unnamed ones', () => {
  const names = new Map([
    ['1@g.us', 'Neighbours'],
    ['2@g.us', 'Bakers'],
  ])
  expect(nameGroups(['2@g.us', '3@g.us', '1@g.us'], names)).toEqual({ known: ['Bakers', 'Neighbours'], more: 1 })
  expect(nameGroups(['3@g.us', '4@g.us'], names)).toEqual({ known: [], more: 2 })
  expect(nameGroups([], names)).toEqual({ known: [], more: 0 })
})
