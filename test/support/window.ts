import { chromium, type BrowserContext, type Page, type Request } from 'playwright-core'
import { browserPath } from './browser.ts'
import type { Cable } from './cable.ts'
import { launchDesktop, tempProfile } from './electron/launch.ts'
import { createApi, pause, testHome, type Api, type RunningService, type TestHome } from './service-process.ts'

/** The window as a person has it, on a home of its own, and the API beside it as a program has it. */
export interface OpenWindow {
  readonly page: Page
  readonly home: TestHome
  /** Where the service listens for programs. */
  readonly url: string
  readonly api: Api
  /** What opened it: nobody else may come to know it. */
  readonly secrets: Readonly<Record<string, string>>
  /** Every address the page asked for. */
  readonly asked: readonly string[]
  /** What the page complained of: errors on its console, errors nobody caught. */
  readonly complaints: readonly string[]
  /** The browser's folder: whatever it keeps lies there once it is closed. */
  readonly profile: string
  /** What the service wrote. */
  log(): string
  /** Goes to a place of the window and waits until it has everything it asks for. */
  open(route: string): Promise<void>
  /** Waits until the page asks for nothing more. */
  settle(): Promise<void>
  /** Ends the window and the service; the folders stay until they are removed. */
  close(): Promise<void>
  remove(): Promise<void>
}

export interface ConsoleWindow extends OpenWindow {
  readonly context: BrowserContext
  service(): RunningService
  /** Ends the service alone; the window stays. */
  stop(): Promise<void>
  /** Another service on the same home and port. */
  restart(): Promise<void>
}

type Settings = Readonly<Record<string, string>>

/** Receipts come at once, and agents talk fast: nobody waits for a network that is not there. */
const QUICK: Settings = {
  SWITCHBOARD_SANDBOX_TIMELINE_MS: '0,0,50,50',
  SWITCHBOARD_SANDBOX_VOICE_SPEED: '20',
  SWITCHBOARD_RATE_LIMIT_PER_MINUTE: '1000000',
}

/**
 * The console in a browser, signed in by the address that the service gives.
 * @param cable what the browser reaches the service through; without one, nothing is in between.
 * @param flags of Chromium, such as those of a microphone that is not there.
 * @param browser its program.
 */
export async function openConsole(
  settings: Settings = {},
  cable?: Pick<Cable, 'server'>,
  flags: readonly string[] = [],
  browser = browserPath(),
): Promise<ConsoleWindow> {
  const home = testHome()
  let service = await home.start({ ...QUICK, ...settings })
  let earlier = ''
  const { port } = new URL(service.url)
  const { key } = await home.key('A program')
  const { profile, remove } = tempProfile()
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: browser,
    args: ['--no-sandbox', ...flags],
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    reducedMotion: 'reduce',
    // Chromium asks no proxy for this machine unless it is told to.
    ...(cable && { proxy: { server: cable.server, bypass: '<-loopback>' } }),
  })
  const page = context.pages()[0] ?? (await context.newPage())
  const seen = watch(page)
  const address = await consoleAddress(home)
  await page.goto(address)
  // A fresh home greets; only then is the window where it stays.
  await page.getByRole('heading', { name: 'Name your workspace' }).waitFor()
  const close = async () => {
    await context.close()
    await service.end('SIGTERM')
  }
  return {
    ...{ page, home, context, profile, url: service.url, api: createApi(service.url, key), ...seen, close },
    secrets: { 'the key of a program': key, 'the one-time code': new URL(address).hash.replace('#code=', '') },
    service: () => service,
    log: () => earlier + service.out() + service.errors(),
    async stop() {
      await service.end('SIGTERM')
    },
    async restart() {
      await service.end('SIGKILL')
      earlier += service.out() + service.errors()
      service = await home.start({ ...QUICK, ...settings }, '--port', port)
    },
    async remove() {
      await context.close()
      await home.remove()
      remove()
    },
  }
}

/** A one-time address of the console. */
export async function consoleAddress(home: TestHome): Promise<string> {
  const { console_url: address } = JSON.parse((await home.command('console', '--json')).out) as { console_url: string }
  return address
}

/** The desktop app in the stand-in for Electron. */
export async function openDesktop(settings: Settings = {}): Promise<OpenWindow> {
  const home = testHome()
  const { profile, remove } = tempProfile()
  const desktop = await launchDesktop({ home: home.dir, profile, environment: { ...QUICK, ...settings } })
  const page = await desktop.firstWindow()
  const seen = watch(page)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.getByRole('heading', { name: 'Name your workspace' }).waitFor()
  const { address: url } = await page.evaluate(
    async () => (await fetch('/panel/v1/service')).json() as Promise<{ address: string }>,
  )
  const { key } = await home.key('A program')
  let ended: Promise<unknown> | undefined
  const close = async () => {
    await (ended ??= desktop.close())
  }
  return {
    ...{ page, home, profile, url, api: createApi(url, key), ...seen, close },
    secrets: { 'the key of a program': key },
    log: desktop.errors,
    async remove() {
      await close()
      await home.remove()
      remove()
    },
  }
}

const QUIET_MS = 60
const PATIENCE_MS = 120_000
/** How long a page waits for what it is asked for. */
export const PAGE_PATIENCE_MS = 60_000

function watch(page: Page) {
  const asked: string[] = []
  const complaints: string[] = []
  const open = new Set<Request>()
  page.setDefaultTimeout(PAGE_PATIENCE_MS)
  page.on('request', (request) => {
    asked.push(request.url())
    // The stream of notices is meant to stay open.
    if (!/\/panel\/(accounts\/[^/]+\/)?events$/.test(request.url())) open.add(request)
  })
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => void complaints.push(error.message))
  const settle = async () => {
    const startedAt = performance.now()
    for (let quietSince = startedAt; performance.now() - quietSince < QUIET_MS; await pause(10)) {
      if (open.size > 0) quietSince = performance.now()
      if (quietSince - startedAt > PATIENCE_MS)
        throw new Error(`The page still waits for ${[...open].map((request) => request.url()).join(', ')}.`)
    }
  }
  return {
    ...{ asked, complaints, settle },
    /** Routes live in the hash: the page stays, its screen changes. */
    async open(route: string) {
      await page.evaluate((to) => void (location.hash = `#${to}`), route)
      await settle()
      // What a test before left half typed is not needed any more.
      const discard = page.locator('[data-discard]')
      if (await discard.isVisible()) {
        // It may be closing already, answered by the test before.
        await discard.click({ timeout: 2_000 }).catch(() => discard.waitFor({ state: 'hidden' }))
        await settle()
      }
      await page.locator('h1').waitFor()
    },
  }
}

/** Of the addresses asked for, those that are not the page's own. */
export const strangers = ({ asked, page }: Pick<OpenWindow, 'asked' | 'page'>): string[] =>
  asked.filter((address) => !/^(data|blob):/.test(address) && new URL(address).origin !== new URL(page.url()).origin)
