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
  /** Further words of its start. */
  readonly words?: readonly string[]
}

/** The page in a browser of its own, whose session can be spoken to. */
export interface BrowserPage extends SigningPage {
  send(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>
}

interface Target {
  readonly targetId: string
  readonly type: string
  readonly url: string
}

const POLL_MS = 100
/** An error page, too. The target has its address before the empty first document is replaced. */
const HAS_LOADED = "location.href !== 'about:blank' && document.readyState === 'complete'"

/** A cold start on a slow disk, and the page over a slow network. */
const POLLS = 300

/**
 * Opens WhatsApp's page in a window of the person's own browser, with an empty profile: where the system keeps the
 * passkeys, or a phone near by does, it can ask for them. @throws Error if it does not start.
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
  // On macOS a browser goes on without its last window.
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
