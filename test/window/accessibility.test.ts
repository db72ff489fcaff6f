import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeConsole, faultsOfScreens, faultsOfSignIn, openFilledConsole } from './accessibility.ts'

/** The short form: every screen once. accessibility.slow.ts has every overlay, both themes and zooms. */
beforeAll(openFilledConsole, 60_000)
afterAll(closeConsole)

test('every screen follows the accessibility rules and keeps everything in reach', async () => {
  expect(await faultsOfScreens([1], ['light'])).toEqual({})
}, 120_000)

test('so does the sign-in page', async () => {
  expect(await faultsOfSignIn([1], ['light'])).toEqual([])
}, 30_000)
