import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeConsole, faultsOfOverlays, openFilledConsole, SCHEMES, ZOOMS } from './accessibility.ts'

beforeAll(openFilledConsole)
afterAll(closeConsole)

test('dialogs, menus and lists meet the accessibility rules and are reachable in light and dark mode, at 100 % and 200 % zoom', async () => {
  expect(await faultsOfOverlays(ZOOMS, SCHEMES)).toEqual({})
}, 1_200_000)
