import { expect, test } from 'vitest'
import { CATALOGUE } from './catalogue.ts'
import { faultFiles } from './files.ts'

const caused = new Set([...faultFiles().values()].flat())

test('every fault of the catalogue has a test of its name or a reason', () => {
  const silent = Object.entries(CATALOGUE).filter(([id, { notRun }]) => notRun === undefined && !caused.has(id))
  expect(silent.map(([id]) => id)).toEqual([])
})

test('no tested fault is marked as not run, and no test names an unlisted fault', () => {
  for (const id of caused) expect([id, CATALOGUE[id]?.notRun]).toEqual([id, undefined])
  expect([...caused].filter((id) => !Object.hasOwn(CATALOGUE, id))).toEqual([])
})
