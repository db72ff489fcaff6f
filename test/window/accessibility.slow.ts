import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeConsole, faultsOfScreens, faultsOfSignIn, openFilledConsole, SCHEMES, ZOOMS } from './accessibility.ts'

beforeAll(openFilledConsole)
afterAll(closeConsole)

describe('follows the accessibility rules and keeps everything in reach, light and dark, at 100 % and 200 %:', () => {
  test('every screen', async () => {
    expect(await faultsOfScreens(ZOOMS, SCHEMES)).toEqual({})
  }, 1_200_000)

  test('the sign-in page', async () => {
    expect(await faultsOfSignIn(ZOOMS, SCHEMES)).toEqual([])
  })
})
