import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeConsole, faultsOfOverlays, faultsOfScreens, faultsOfSignIn, openFilledConsole } from './accessibility.ts'

const ZOOMS = [1, 2] as const
const SCHEMES = ['light', 'dark'] as const

beforeAll(openFilledConsole)
afterAll(closeConsole)

describe('follows the accessibility rules and keeps everything in reach, light and dark, at 100 % and 200 %:', () => {
  test('every screen', async () => {
    expect(await faultsOfScreens(ZOOMS, SCHEMES)).toEqual({})
  }, 1_200_000)

  test('every dialog, menu and list', async () => {
    expect(await faultsOfOverlays(ZOOMS, SCHEMES)).toEqual({})
  }, 1_200_000)

  test('the sign-in page', async () => {
    expect(await faultsOfSignIn(ZOOMS, SCHEMES)).toEqual([])
  })
})
