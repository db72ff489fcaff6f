import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeConsole, faultsOfScreens, faultsOfSignIn, openFilledConsole, SCHEMES, ZOOMS } from './accessibility.ts'

beforeAll(openFilledConsole)
afterAll(closeConsole)

describe('pages meet the accessibility rules and are reachable in light and dark mode, at 100 % and 200 % zoom:', () => {
  test('every screen', async () => {
    expect(await faultsOfScreens(ZOOMS, SCHEMES)).toEqual({})
  }, 1_200_000)

  test('the sign-in page', async () => {
    expect(await faultsOfSignIn(ZOOMS, SCHEMES)).toEqual([])
  })
})
