import type { CDPSession } from 'playwright-core'
import { brokenRules } from '../support/axe.ts'
import { outOfReach } from '../support/reach.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { liveThroughADay } from './day.ts'
import { everyOverlay } from './overlays.ts'
import { everyPlace, type Holdings } from './places.ts'

/** Light and dark, at 100 % and at 200 %: zoom halves the window and doubles the pixels. */
const [WIDTH, HEIGHT] = [1280, 800]
/** Far longer than any animation of the window. */
const ANIMATION_MS = 5_000

export type Scheme = 'light' | 'dark'
type Zoom = 1 | 2
export const ZOOMS: readonly Zoom[] = [1, 2]
export const SCHEMES: readonly Scheme[] = ['light', 'dark']

let w: ConsoleWindow
let cdp: CDPSession
let holdings: Holdings
let shown: Zoom | undefined

/** The console with something of everything in it. */
export async function openFilledConsole(): Promise<void> {
  w = await openConsole()
  holdings = await liveThroughADay(w)
  cdp = await w.context.newCDPSession(w.page)
  await cdp.send('Animation.enable')
  // Nothing is judged on its way; so it gets there at once.
  await cdp.send('Animation.setPlaybackRate', { playbackRate: 1_000 })
  shown = undefined
}

export const closeConsole = () => w.remove()

async function show(scheme: Scheme, zoom: Zoom): Promise<void> {
  await w.page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
  if (zoom !== shown) {
    const size = { width: WIDTH / zoom, height: HEIGHT / zoom }
    await cdp.send('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: zoom, mobile: false })
    shown = zoom
  }
  // Colours that are still on their way are nobody's colours.
  await w.page.evaluate(async (patienceMs) => {
    const settled = async () => {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
      const ending = document
        .getAnimations()
        .filter((each) => each.playState === 'running' && each.effect?.getComputedTiming().endTime !== Infinity)
      await Promise.all(ending.map((each) => each.finished.catch(() => {})))
    }
    // The animation of a removed element never ends.
    await Promise.race([settled(), new Promise((done) => setTimeout(done, patienceMs))])
  }, ANIMATION_MS)
}

/** The screen below what opened over it. */
const SCREEN = 'main > .isolate'

/** Everything that is wrong with what is shown at this zoom. Dark is another colour of the same page. */
async function faultsAt(zoom: Zoom, schemes: readonly Scheme[], besides?: string): Promise<string[]> {
  const found: string[] = []
  for (const scheme of schemes) {
    await show(scheme, zoom)
    const structure = scheme === 'light' ? await brokenRules(w.page, { rules: 'all but colour' }) : []
    const colours = await brokenRules(w.page, { rules: 'colour', ...(besides !== undefined && { besides }) })
    const wrong = [...structure, ...colours, ...(await outOfReach(w.page))]
    found.push(...wrong.map((each) => `${scheme}, ${zoom * 100} %: ${each}`))
  }
  return found
}

/** A place with nothing open over it: what a dialog before it left behind is not its fault. */
async function afresh(place: string, zoom: Zoom): Promise<void> {
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

/** @returns what is wrong, by the screen. */
export async function faultsOfScreens(zooms: readonly Zoom[], schemes: readonly Scheme[]) {
  const wrong: Record<string, string[]> = {}
  for (const place of everyPlace(holdings)) {
    await w.open(place)
    for (const zoom of zooms) {
      const found = await faultsAt(zoom, schemes)
      if (found.length > 0) (wrong[place] ??= []).push(...found)
    }
  }
  return wrong
}

/** @returns what is wrong, by the dialog, menu or list. */
export async function faultsOfOverlays(zooms: readonly Zoom[], schemes: readonly Scheme[]) {
  const wrong: Record<string, string[]> = {}
  // One zoom after the other: laying the window out anew takes longer than opening something in it.
  for (const zoom of zooms) {
    for (const { of, name, before, at, show: open } of everyOverlay()) {
      await before?.(w.api, holdings)
      await afresh(at(holdings), zoom)
      // The colours of the screen behind it were looked at with nothing over them.
      const found = await open(w.page).then(() => faultsAt(zoom, schemes, SCREEN), firstLine)
      if (found.length > 0) (wrong[`${of}, ${name}`] ??= []).push(...found)
    }
  }
  return wrong
}

export async function faultsOfSignIn(zooms: readonly Zoom[], schemes: readonly Scheme[]) {
  await w.context.clearCookies()
  await w.page.goto('about:blank')
  await w.page.goto(`${w.url}/console/`)
  await w.page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  const found: string[] = []
  for (const zoom of zooms) found.push(...(await faultsAt(zoom, schemes)))
  return found
}
