import { availableParallelism, loadavg } from 'node:os'
import type { CDPSession, Page } from 'playwright-core'
import { firstLoad } from '../support/first-load.ts'
import { quantile } from '../support/latency.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { timesToSee, watchedScreens } from '../window/changes.ts'
import { fillWindowHome, WINDOW_SIZES } from './lib/window-home.ts'
import { goal, type Report } from './lib/report.ts'
import { median } from './lib/table.ts'

/**
 * The window with the data of a large agency, in a real Chromium: how soon it shows its lists, how smoothly they
 * scroll, how soon it shows a change, and how much script it needs. The figures are medians over the rounds.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const CHANGES = Number(process.env['CHANGES'] ?? 50)
const GOALS = { openMs: 500, framesPerSecond: 50, changeMs: 300, scriptKB: 500 } as const

const SCROLL_MS = 3_000
const WHEEL_PX = 240

interface Row {
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly goal: number
  /** The worst value of all rounds. */
  readonly worst: number
}

export async function window(): Promise<Report[]> {
  const rows = [...(await lists()), ...(await changes()), script()]
  return [
    {
      title:
        `The window: ${count(WINDOW_SIZES.instances)} instances, a conversation of ${count(WINDOW_SIZES.messages)} messages; ` +
        `medians of ${ROUNDS} rounds; ${loadavg()[0]?.toFixed(1)} at work on ${availableParallelism()} cores`,
      rows: rows.map(({ what, value, worst, unit }) => ({ what, measured: value, worst, unit })),
      goals: rows.map(({ what, value, unit, goal: limit }) =>
        goal(what, value, unit === 'frames/s' ? 'at least' : 'below', limit, unit),
      ),
    },
  ]
}

async function lists(): Promise<Row[]> {
  const w = await openConsole()
  try {
    await w.stop()
    const { instance, chat } = fillWindowHome(w.home.dir, Date.now())
    await w.restart()
    const thread = `/messages/${instance}/${chat}`
    const newest = `(${WINDOW_SIZES.messages})`
    const found: Record<string, number[]> = {}
    const note = (what: string, value: number) => (found[what] ??= []).push(value)
    const cdp = await w.context.newCDPSession(w.page)
    for (let round = 0; round < ROUNDS; round++) {
      note('instances: open the window on them', await openedIn(w, '/instances', 'Client 9999'))
      note('instances: scroll', await framesWhileScrolling(w.page, cdp, '[role=table]', WHEEL_PX))
      await w.open('/settings')
      note('instances: go to them', await shownIn(w.page, '/instances', 'Client 9999'))
      note('thread: open the window on it', await openedIn(w, thread, newest))
      note('thread: scroll', await framesWhileScrolling(w.page, cdp, '[role=log]', -WHEEL_PX))
      await w.open('/settings')
      note('thread: go to it', await shownIn(w.page, thread, newest))
    }
    return Object.entries(found).map(([what, values]) =>
      what.endsWith('scroll')
        ? { what, value: median(values), worst: Math.min(...values), unit: 'frames/s', goal: GOALS.framesPerSecond }
        : { what, value: median(values), worst: Math.max(...values), unit: 'ms', goal: GOALS.openMs },
    )
  } finally {
    await w.remove()
  }
}

/**
 * The time from the start of loading until the text is painted, including scripts, the sign-in check and the first
 * request.
 */
async function openedIn(w: ConsoleWindow, place: string, words: string): Promise<number> {
  await w.page.goto('about:blank')
  await w.page.goto(`${w.url}/console/#${place}`, { waitUntil: 'commit' })
  return w.page.evaluate(whenPainted, words)
}

/** The time from leaving another screen until the text is painted. */
async function shownIn(page: Page, place: string, words: string): Promise<number> {
  const begun = await page.evaluate((to) => {
    location.hash = `#${to}`
    return performance.now()
  }, place)
  return (await page.evaluate(whenPainted, words)) - begun
}

/** Runs in the page. @returns when the frame with this text was painted, in the page's own time. */
function whenPainted(words: string): Promise<number> {
  return new Promise((done) => {
    const look = () => {
      if (document.body.textContent.includes(words))
        requestAnimationFrame((at) => setTimeout(() => done(Math.max(at, performance.now()))))
      else requestAnimationFrame(look)
    }
    look()
  })
}

/** Scrolls a list with the wheel as fast as a person does, and counts the frames that the page painted. */
async function framesWhileScrolling(page: Page, cdp: CDPSession, list: string, deltaY: number): Promise<number> {
  const box = await page.locator(list).first().boundingBox()
  if (box === null) throw new Error(`${list} is not there`)
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  await page.waitForTimeout(500)
  const frames = page.evaluate(
    (forMs) =>
      new Promise<number>((done) => {
        let [first, count] = [0, 0]
        const tick = (now: number) => {
          if (first === 0) first = now
          else count++
          if (now - first < forMs) requestAnimationFrame(tick)
          else done((count * 1000) / (now - first))
        }
        requestAnimationFrame(tick)
      }),
    SCROLL_MS,
  )
  const until = performance.now() + SCROLL_MS
  while (performance.now() < until) {
    await cdp.send('Input.dispatchMouseEvent', { type: 'mouseWheel', ...at, deltaX: 0, deltaY })
    await new Promise((done) => setTimeout(done, 30))
  }
  return frames
}

async function changes(): Promise<Row[]> {
  const w = await openConsole()
  try {
    const rows: Row[] = []
    for (const watched of await watchedScreens(w, CHANGES)) {
      const times = await timesToSee(w, watched, CHANGES)
      const [value, worst] = [quantile(times, 0.95), Math.max(...times)]
      rows.push({
        what: `${watched.screen}: follow a change (p50)`,
        value: quantile(times, 0.5),
        worst,
        unit: 'ms',
        goal: GOALS.changeMs,
      })
      rows.push({ what: `${watched.screen}: follow a change (p95)`, value, worst, unit: 'ms', goal: GOALS.changeMs })
    }
    return rows
  } finally {
    await w.remove()
  }
}

function script(): Row {
  const kB = firstLoad().gzipBytes / 1000
  return { what: 'script of the first load, gzip', value: kB, worst: kB, unit: 'kB', goal: GOALS.scriptKB }
}

const count = (rows: number) => rows.toLocaleString('en-US')
