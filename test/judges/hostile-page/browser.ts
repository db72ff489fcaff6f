import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Objection, run } from '../court.ts'

/** What is used of playwright-core, which lies in this folder only and is there when the judge was first asked. */
interface Playwright {
  readonly chromium: {
    launch(options: { executablePath: string; args: readonly string[]; headless: true }): Promise<Browser>
  }
}

export interface Browser {
  version(): string
  newPage(): Promise<Page>
  close(): Promise<void>
}

export interface Page {
  goto(url: string): Promise<unknown>
  /** The function runs in the page, as the page's own would. */
  evaluate<A, R>(act: (arg: A) => Promise<R>, arg: A): Promise<R>
  frames(): readonly { url(): string; name(): string }[]
  close(): Promise<void>
}

const PACKAGE = 'playwright-core'
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const USUAL = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]
const INSTALL_SECONDS = 300

/** @param names where names lead: `name:port address:port`, as Chromium's rules have it. @throws Objection without a browser. */
export async function openBrowser(names: readonly string[]): Promise<Browser> {
  const { chromium } = (await import(import.meta.resolve(PACKAGE))) as Playwright
  return chromium.launch({
    executablePath: await findChromium(),
    headless: true,
    args: [
      `--host-resolver-rules=${names.map((name) => `MAP ${name}`).join(', ')}`,
      // Chromium asks people before a page may reach this machine. The service must not need that, so it does not ask.
      '--disable-features=LocalNetworkAccessChecks',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })
}

async function findChromium(): Promise<string> {
  const named = process.env['CHROMIUM_PATH']
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named
    throw new Objection(`CHROMIUM_PATH is ${named}, and there is no such file.`)
  }
  const found = installed()
  if (found !== undefined) return found
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    const options = { cwd: '/', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, seconds: INSTALL_SECONDS }
    await run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], options)
  }
  const brought = installed()
  if (brought !== undefined) return brought
  throw new Objection('This judge needs Chromium. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.')
}

function installed(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).concat('/usr/bin')
  return [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...USUAL].find(existsSync)
}
