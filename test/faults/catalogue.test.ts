import { expect, test } from 'vitest'
import { CATALOGUE } from './catalogue.ts'
import { faultFiles } from './files.ts'

const caused = new Set([...faultFiles().values()].flat())

test('every fault of the catalogue is caused by a test that is named for it, or says why not', () => {
  const silent = Object.entries(CATALOGUE).filter(([id, { notRun }]) => notRun === undefined && !caused.has(id))
  expect(silent.map(([id]) => id)).toEqual([])
})

test('no fault is said not to be run that a test causes, and no test is named for one that is not listed', () => {
  for (const id of caused) expect([id, CATALOGUE[id]?.notRun]).toEqual([id, undefined])
  expect([...caused].filter((id) => !Object.hasOwn(CATALOGUE, id))).toEqual([])
})
