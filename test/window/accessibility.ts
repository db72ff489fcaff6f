import type { CDPSession } from 'playwright-core'
import { brokenRules } from '../support/axe.ts'
import { outOfReach } from '../support/reach.ts'
import { openConsole, PAGE_PATIENCE_MS, type ConsoleWindow } from '../support/window.ts'
import { liveThroughADay } from './day.ts'
import { everyOverlay, type Overlay } from './overlays.ts'
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
    found.push(...labelled(scheme, zoom, [...structure, ...colours, ...(await outOfReach(w.page))]))
  }
  return found
}

/** What can be wrong at this zoom alone with what has no fault at another. */
async function faultsOfRoom(zoom: Zoom, scheme: Scheme): Promise<string[]> {
  await show(scheme, zoom)
  return labelled(scheme, zoom, [...(await brokenRules(w.page, { rules: 'size' })), ...(await outOfReach(w.page))])
}

const labelled = (scheme: Scheme, zoom: Zoom, faults: readonly string[]) =>
  faults.map((each) => `${scheme}, ${zoom * 100} %: ${each}`)

/** A list in a dialog over a screen closes in two. */
const MOST_LAYERS = 3
const LAYERS = ':is([role=dialog], [role=alertdialog], [role=menu], [role=listbox]):visible'

/** Longer than a layer takes to close. One that is closing still takes the key. */
const CLOSING_MS = 1_000

/** Closes what is open, one layer after the other. @returns whether nothing is open. */
async function closeLayers(): Promise<boolean> {
  const layers = w.page.locator(LAYERS)
  let open = await layers.count()
  for (let i = 0; i < MOST_LAYERS && open > 0; i++) {
    await w.page.keyboard.press('Escape')
    const last = layers.nth(open - 1)
    await last.waitFor({ state: 'hidden', timeout: CLOSING_MS }).catch(() => {})
    open = await layers.count()
  }
  return open === 0
}

/** Closes what is open. @returns whether the page is at this place with nothing over it. */
async function isCleared(place: string): Promise<boolean> {
  const isClosed = await closeLayers()
  if (!isClosed || !w.page.url().endsWith(`#${place}`)) return false
  await w.settle()
  return (await w.page.locator(LAYERS).count()) === 0
}

/** A place as somebody finds it who just came: what a dialog before it left behind is not its fault. */
async function afresh(place: string): Promise<void> {
  if (w.page.url().endsWith(`#${place}`)) await w.open('/welcome')
  if ((await w.page.getByRole('dialog').count()) > 0) {
    await w.page.reload()
    await w.page.locator('h1').waitFor()
  }
  await w.open(place)
}

/** Longer than most take to open; what takes longer is opened afresh. */
const OPENING_MS = 2_000

/** Opens it where the page is, if it is there; loading every screen for each would take most of the time. */
async function openOverlay({ show: open }: Overlay, place: string, zoom: Zoom): Promise<void> {
  await show('light', zoom)
  if (await isCleared(place)) {
    w.page.setDefaultTimeout(OPENING_MS)
    try {
      return await open(w.page)
    } catch {
      // The one before left the screen in another state.
    } finally {
      w.page.setDefaultTimeout(PAGE_PATIENCE_MS)
    }
  }
  await afresh(place)
  await open(w.page)
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

/** @returns what is wrong, by the dialog, menu or list. What is in one, and its colours, are the same at every zoom. */
export async function faultsOfOverlays(zooms: readonly Zoom[], schemes: readonly Scheme[]) {
  const wrong: Record<string, string[]> = {}
  const [first] = zooms
  // One zoom after the other: laying the window out anew takes longer than opening something in it.
  for (const zoom of zooms) {
    for (const overlay of everyOverlay()) {
      await overlay.before?.(w.api, holdings)
      const opened = openOverlay(overlay, overlay.at(holdings), zoom)
      // The colours of the screen behind it were looked at with nothing over them.
      const look = () => (zoom === first ? faultsAt(zoom, schemes, SCREEN) : faultsOfRoom(zoom, 'light'))
      const found = await opened.then(look, firstLine)
      if (found.length > 0) (wrong[`${overlay.of}, ${overlay.name}`] ??= []).push(...found)
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
