import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeConsole, faultsOfOverlays, openFilledConsole, SCHEMES, ZOOMS } from './accessibility.ts'

beforeAll(openFilledConsole)
afterAll(closeConsole)

test('every dialog, menu and list follows the accessibility rules and stays in reach, light and dark, at 100 % and 200 %', async () => {
  expect(await faultsOfOverlays(ZOOMS, SCHEMES)).toEqual({})
}, 1_200_000)
