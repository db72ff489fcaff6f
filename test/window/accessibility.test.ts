import type { CDPSession } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { outOfReach } from '../support/reach.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { liveThroughADay } from './day.ts'
import { everyOverlay } from './overlays.ts'
import { everyPlace, type Holdings } from './places.ts'

/** Light and dark, at 100 % and at 200 %: zoom halves the window and doubles the pixels. */
const [WIDTH, HEIGHT] = [1280, 800]

let w: ConsoleWindow
let cdp: CDPSession
let holdings: Holdings
let shown: 1 | 2 | undefined

beforeAll(async () => {
  w = await openConsole()
  holdings = await liveThroughADay(w)
  cdp = await w.context.newCDPSession(w.page)
  await cdp.send('Animation.enable')
  // Nothing is judged on its way; so it gets there at once.
  await cdp.send('Animation.setPlaybackRate', { playbackRate: 1_000 })
}, 60_000)
afterAll(() => w.remove())

async function show(scheme: 'light' | 'dark', zoom: 1 | 2): Promise<void> {
  await w.page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
  if (zoom !== shown) {
    const size = { width: WIDTH / zoom, height: HEIGHT / zoom }
    await cdp.send('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: zoom, mobile: false })
    shown = zoom
  }
  // Colours that are still on their way are nobody's colours.
  await w.page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    const ending = document.getAnimations().filter((each) => each.effect?.getComputedTiming().endTime !== Infinity)
    await Promise.all(ending.map((each) => each.finished.catch(() => {})))
  })
}

/** The screen below what opened over it. */
const SCREEN = 'main > .isolate'

/** Everything that is wrong with what is shown at this zoom, light and dark. Dark is another colour of the same page. */
async function faultsAt(zoom: 1 | 2, besides?: string): Promise<string[]> {
  const found: string[] = []
  for (const scheme of ['light', 'dark'] as const) {
    await show(scheme, zoom)
    const structure = scheme === 'light' ? await brokenRules(w.page, { rules: 'all but colour' }) : []
    const colours = await brokenRules(w.page, { rules: 'colour', ...(besides !== undefined && { besides }) })
    const wrong = [...structure, ...colours, ...(await outOfReach(w.page))]
    found.push(...wrong.map((each) => `${scheme}, ${zoom * 100} %: ${each}`))
  }
  return found
}

/** A place with nothing open over it: what a dialog before it left behind is not its fault. */
async function afresh(place: string, zoom: 1 | 2): Promise<void> {
  await show('light', zoom)
  await w.page.keyboard.press('Escape')
  if (w.page.url().endsWith(`#${place}`)) await w.open('/welcome')
  if ((await w.page.getByRole('dialog').count()) > 0) {
    await w.page.reload()
    await w.page.locator('h1').waitFor()
  }
  await w.open(place)
}

const firstLine = (error: Error) => [error.message.split('\n')[0] ?? '']

describe('no rule of accessibility is broken and nothing is out of reach, light and dark, at 100 % and 200 %', () => {
  test('on every screen', async () => {
    const wrong: Record<string, string[]> = {}
    for (const place of everyPlace(holdings)) {
      await w.open(place)
      const found = [...(await faultsAt(1)), ...(await faultsAt(2))]
      if (found.length > 0) wrong[place] = found
    }
    expect(wrong).toEqual({})
  }, 180_000)

  test('with every dialog, menu and list open', async () => {
    const wrong: Record<string, string[]> = {}
    // One zoom after the other: laying the window out anew takes longer than opening something in it.
    for (const zoom of [1, 2] as const) {
      for (const { of, name, at, show: open } of everyOverlay()) {
        await afresh(at(holdings), zoom)
        // The colours of the screen behind it were looked at with nothing over them.
        const found = await open(w.page).then(() => faultsAt(zoom, SCREEN), firstLine)
        if (found.length > 0) (wrong[`${of}, ${name}`] ??= []).push(...found)
      }
    }
    expect(wrong).toEqual({})
  }, 300_000)

  test('where one signs in', async () => {
    await w.context.clearCookies()
    await w.page.goto('about:blank')
    await w.page.goto(`${w.url}/console/`)
    await w.page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    expect([...(await faultsAt(1)), ...(await faultsAt(2))]).toEqual([])
  }, 30_000)
})
