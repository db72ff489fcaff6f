import { expect, test } from 'vitest'
import { readConfig } from '../../../main/config.ts'
import { graphVersionEnd, TESTED_GRAPH_VERSION } from '../../../main/engines/official/graph-versions.ts'

const at = (day: string) => Date.parse(day)

test('a version is named from 90 days before its end', () => {
  expect(graphVersionEnd('v21.0', at('2026-10-22'))).toBeNull()
  expect(graphVersionEnd('v21.0', at('2026-10-23'))).toEqual({ endsOn: '2027-01-21', hasEnded: false })
  expect(graphVersionEnd('v21.0', at('2027-01-20T23:59:59Z'))).toEqual({ endsOn: '2027-01-21', hasEnded: false })
  expect(graphVersionEnd('v21.0', at('2027-01-21'))).toEqual({ endsOn: '2027-01-21', hasEnded: true })
})

test('a version that is older than all known ones has ended, and a newer one has not', () => {
  expect(graphVersionEnd('v16.0', at('2026-11-29'))).toEqual({ endsOn: null, hasEnded: true })
  expect(graphVersionEnd('v99.0', at('2035-01-01'))).toBeNull()
})

test('a home without the setting speaks the version that was tested', () => {
  const machine = { argv: [], env: {}, platform: process.platform, homedir: '/home/nobody', readFile: () => null }
  expect(readConfig(machine).graphVersion).toBe(TESTED_GRAPH_VERSION)
})
