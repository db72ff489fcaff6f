import { expect, test } from 'vitest'
import { createFaults } from './faults.ts'

test('a number misbehaves by its last digits, a group whose id ends in the same ones does not', () => {
  const faults = createFaults()
  expect(faults.messageTo('12025550463')).toMatchObject({ kind: 'refused', code: 463 })
  expect(faults.messageTo('120363000000000463', { isGroup: true })).toBeUndefined()
  faults.onMessage({ kind: 'held', ms: 5 }, '120363000000000463')
  expect(faults.messageTo('120363000000000463', { isGroup: true })).toEqual({ kind: 'held', ms: 5 })
})
