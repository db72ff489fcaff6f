import { PASSKEY_PAGE } from '../../contract/passkey.ts'
import type { Clock } from '../../kernel/clock.ts'
import { startOpenedBrowser } from './browser-port.ts'
import { startPipedBrowser } from './browser-pipe.ts'
import type { OwnBrowser } from './devtools.ts'
import type { InstalledBrowser } from './installed-browser.ts'
import type { SigningPage } from './signing.ts'

interface BrowserDeps {
  readonly browser: InstalledBrowser
  readonly clock: Pick<Clock, 'after'>
  /** Additional command-line arguments. */
  readonly words?: readonly string[]
}

/** The page, in a browser that takes DevTools commands. */
export interface BrowserPage extends SigningPage {
  send(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>
}

interface Target {
  readonly targetId: string
  readonly type: string
  readonly url: string
}

const POLL_MS = 100
/** Also true for an error page. The target has its URL before its first, empty document is replaced. */
const HAS_LOADED = "location.href !== 'about:blank' && document.readyState === 'complete'"

/** Enough for a cold start and a slow network. */
const POLLS = 300

/**
 * Opens WhatsApp's page in a window of the person's own browser, with an empty profile. It can ask for passkeys of the
 * system and of a nearby phone. @throws Error if it does not start.
 */
export async function openBrowserPage({ browser: installed, clock, words = [] }: BrowserDeps): Promise<BrowserPage> {
  const after = (ms: number, act: () => void) => clock.after(ms, act)
  const all = [`--app=${PASSKEY_PAGE}`, '--window-size=480,640', ...words]
  const browser =
    installed.kind === 'app'
      ? await startOpenedBrowser(installed.app, all, after, installed.open)
      : await startPipedBrowser(installed.executable, all, after)
  try {
    const pause = () => new Promise<void>((resolve) => void clock.after(POLL_MS, resolve))
    return await attach(browser, pause)
  } catch (error) {
    await browser.close()
    throw error
  }
}

async function attach(browser: OwnBrowser, pause: () => Promise<void>): Promise<BrowserPage> {
  const { targetId } = await poll(pause, async () => {
    const { targetInfos } = (await browser.send('Target.getTargets')) as { targetInfos: readonly Target[] }
    return targetInfos.find(({ type, url }) => type === 'page' && url === PASSKEY_PAGE)
  })
  const { sessionId } = (await browser.send('Target.attachToTarget', { targetId, flatten: true })) as {
    sessionId: string
  }
  // On macOS a browser keeps running after its last window is closed.
  const detached = new Promise<void>((resolve) => browser.on('Target.detachedFromTarget', () => resolve()))
  const send: BrowserPage['send'] = (method, params) => browser.send(method, params, sessionId)

  async function evaluate(expression: string): Promise<unknown> {
    const asked = { expression, awaitPromise: true, userGesture: true, returnByValue: true }
    const { result } = (await send('Runtime.evaluate', asked)) as { result: { value?: unknown } }
    return result.value
  }
  await poll(pause, async () => ((await evaluate(HAS_LOADED)) === true ? true : undefined))
  return { send, evaluate, gone: Promise.race([detached, browser.exited]), close: browser.close }
}

async function poll<T>(pause: () => Promise<void>, look: () => Promise<T | undefined>): Promise<T> {
  for (let turn = 0; turn < POLLS; turn++) {
    const found = await look()
    if (found !== undefined) return found
    await pause()
  }
  throw new Error('the page did not open')
}
