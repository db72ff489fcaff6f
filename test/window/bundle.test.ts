import { expect, test } from 'vitest'
import { firstLoad } from '../support/first-load.ts'

const GOAL_BYTES = 500_000

test('the window loads less than 500 kB of script before the first screen, and only the code of the screen that is opened', () => {
  const { scripts, gzipBytes } = firstLoad()
  expect(scripts.length).toBeGreaterThan(0)
  expect(gzipBytes).toBeGreaterThan(50_000)
  expect(gzipBytes).toBeLessThan(GOAL_BYTES)
  expect(scripts.filter((name) => /Screen-/.test(name))).toEqual([])
})
