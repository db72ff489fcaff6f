import { app, autoUpdater, ipcMain, powerMonitor, protocol } from 'electron'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Notice } from '../contract/notice.ts'
import { createConsoleFiles } from '../faces/panel/files.ts'
import { systemClock } from '../kernel/clock.ts'
import { cause, type Log } from '../kernel/log.ts'
import type { Service } from '../service.ts'
import { closeInTime } from '../service/shutdown.ts'
import { createAppProtocol } from './app-protocol.ts'
import { SCHEME } from './app-origin.ts'
import { linkIn, routeOf } from './deep-link.ts'
import { createQuitSequence, type QuitSequence } from './quit-sequence.ts'
import { createLoginItem, HIDDEN } from './login-item.ts'
import { createNotifier } from './notifier.ts'
import { openBrowserPage } from './passkey/browser-page.ts'
import { findInstalledBrowser } from './passkey/installed-browser.ts'
import { passkeyReadiness } from './passkey/readiness.ts'
import { createPasskeySigner, type PasskeySigner } from './passkey/signer.ts'
import { openWindowPage } from './passkey/window-page.ts'
import { preferencesIn } from './preferences.ts'
import { createTray } from './tray.ts'
import { updateChannel } from './updater.ts'
import { createUpdates, type Updates } from './updates.ts'
import { watchService } from './service-watcher.ts'
import { handleRequests } from './window-requests.ts'
import { openMainWindow, type MainWindow } from './window.ts'
import type { Words } from './words/shape.ts'

export interface Desktop {
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly preload: string
  /** Folder of the built page. */
  readonly renderer: string
  readonly resources: string
  /** Key for verifying updates (Ed25519, PEM); null without an update channel. */
  readonly updateKey: string | null
  /** Starts the service in this home. @param restart called when the service should restart. */
  readonly startService: (restart: () => void) => Promise<Started>
}

interface Started {
  readonly service: Service
  readonly home: string
  readonly log: Log
}

/** The window exists from the start of the service until the app quits. */
export interface WindowHolder {
  window?: MainWindow
  /** A link that was opened while there was no window. */
  link?: string | undefined
  serviceUrl?: string
  /** The app is quitting in order to restart. */
  opensAgain?: boolean
}

interface AppContext {
  readonly desktop: Desktop
  readonly holder: WindowHolder
  readonly words: Words
}

/** Opens the window, and everything that shows the state of the service. Resolves when the page is loaded. */
export async function openApp(started: Started, { desktop, holder, words }: AppContext): Promise<void> {
  const { service, home, log } = started
  holder.serviceUrl = service.url
  const preferences = preferencesIn(home)
  const signer = passkeySignerOf(desktop)
  const leaving = createQuitSequence({
    app,
    release: () => window.release(),
    mayQuit: () => window.mayQuit(),
    onStay: () => void (holder.opensAgain = false),
    hideAll() {
      delete holder.window
      window.hide()
      tray.destroy()
    },
    async drain() {
      watch.stop()
      await Promise.all([closeInTime(service, systemClock), signer.close()])
      if (holder.opensAgain === true) app.relaunch()
    },
  })
  servePage(started, desktop.renderer, leaving)
  const window = openMainWindow({
    preload: desktop.preload,
    icon: join(desktop.resources, 'icons', 'icon.png'),
    home,
    words,
    isHidden: desktop.argv.includes(HIDDEN) || wasOpenedAtLogin(),
    closing: () => preferences.read().closing,
    onClosingChosen(closing) {
      try {
        preferences.change({ closing })
      } catch (error) {
        // The choice applies now and is asked for again next time.
        log.warn({ event: 'window.choice_not_kept', cause: cause(error) })
      }
    },
    quit: () => app.quit(),
  })
  holder.window = window
  const tray = createTray({
    icon: join(desktop.resources, 'tray', 'tray.png'),
    words,
    open: (route) => window.open(route),
    quit: () => app.quit(),
  })
  const watch = watchService({
    clock: systemClock,
    log,
    words,
    read: (path) => readAsConsole(service, path),
    onNotice: (listener) => service.onNotice(listener),
    isWanted: (kind) => preferences.read().notes[kind] && !window.isFocused(),
    onCounts(counts) {
      tray.show(counts)
      app.setBadgeCount(counts.lost)
    },
    onNote: createNotifier((route) => window.open(route)),
  })
  const updates = updatesOf(desktop, { window, leaving, log })
  handleWindowRequests(desktop, { window, preferences, updates, signer })
  listenToSystem(started, { window, leaving, updates })

  await window.loaded
  process.send?.('opened')
  const link = holder.link ?? linkIn(desktop.argv)
  if (link !== undefined) window.open(routeOf(link))
  void updates.check()
}

function servePage({ service, log }: Started, renderer: string, leaving: QuitSequence): void {
  const files = createConsoleFiles(renderer)
  protocol.handle(
    SCHEME,
    createAppProtocol({
      file: (path) => files.find(path),
      panel: (request) => service.askAsConsole(request),
      isClosing: leaving.isQuitting,
      onFault: (error) => log.error({ event: 'window.request', cause: cause(error) }),
    }),
  )
}

/** Quits as usual and opens the app again, unless the person cancels. */
export function restart(holder: WindowHolder): void {
  if (holder.window === undefined) app.relaunch()
  else holder.opensAgain = true
  app.quit()
}

/** The same for an app whose service has already stopped: nobody is asked. */
function reopen(): void {
  app.relaunch()
  app.quit()
}

interface AppParts {
  readonly window: MainWindow
  readonly leaving: QuitSequence
}

function updatesOf({ updateKey }: Desktop, { window, leaving, log }: AppParts & { readonly log: Log }): Updates {
  return createUpdates({
    channel: updateChannel(updateKey),
    current: app.getVersion(),
    log,
    readFile: (file) => createReadStream(file),
    finish: leaving.finish,
    reopen,
    onState: (state) => window.send('update', state),
  })
}

/** Only on Windows can our own window use the system's passkeys; on other systems the person's own browser can. */
function passkeySignerOf({ environment }: Desktop): PasskeySigner {
  // Read on each call, because a test sets it.
  const openWindow = async () => (process.platform === 'win32' ? openWindowPage() : undefined)
  const openBrowser = async () => {
    const browser = findInstalledBrowser({ platform: process.platform, environment })
    return browser && openBrowserPage({ browser, clock: systemClock })
  }
  return createPasskeySigner({ clock: systemClock, ways: [openWindow, openBrowser] })
}

interface RequestTargets {
  readonly window: Pick<MainWindow, 'mayQuit' | 'setUnsaved'>
  readonly preferences: ReturnType<typeof preferencesIn>
  readonly updates: Updates
  readonly signer: PasskeySigner
}

function handleWindowRequests(
  { environment }: Desktop,
  { window, preferences, updates, signer }: RequestTargets,
): void {
  const { platform, execPath: executable } = process
  const loginItem = createLoginItem({ app, platform, environment, executable })
  const view = () => ({ ...preferences.read(), opensAtLogin: loginItem.isOn() })
  handleRequests(ipcMain, {
    readPreferences: async () => view(),
    async changePreferences({ opensAtLogin, ...change }) {
      preferences.change(change)
      if (opensAtLogin !== undefined) loginItem.set(opensAtLogin)
      return view()
    },
    readUpdate: async () => updates.state(),
    lookForUpdate: updates.check,
    fetchUpdate: updates.fetch,
    restartToUpdate: async () => ((await window.mayQuit()) ? updates.restart() : updates.state()),
    setUnsaved: async ({ isUnsaved }) => window.setUnsaved(isUnsaved),
    readPasskeyReadiness: async () => passkeyReadiness({ platform, environment }),
    signPasskey: signer.sign,
  })
}

/** Topics of the data that may be on screen. */
const SHOWN: readonly Notice['topic'][] = ['instances', 'messages', 'webhooks', 'deliveries', 'approvals', 'service']

function listenToSystem({ service, log }: Started, parts: AppParts & { readonly updates: Updates }): void {
  const { window, leaving, updates } = parts
  // An update closes the windows before it quits, so nothing may keep them open.
  autoUpdater.on('before-quit-for-update', () => window.release())
  powerMonitor.on('shutdown', () => leaving.allowQuit())
  powerMonitor.on('unlock-screen', () => service.unlocked())
  powerMonitor.on('resume', () => {
    log.info({ event: 'power.resumed' })
    service.resumed()
    // Timers were suspended, so windows must fetch their data again.
    for (const topic of SHOWN) service.publish({ topic })
    void updates.check()
  })
}

const wasOpenedAtLogin = () => process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin

/** The answer of an operation, or undefined if it fails: no person has asked for it. */
async function readAsConsole(service: Service, path: string): Promise<unknown> {
  const { status, body } = await service.askAsConsole({ method: 'GET', path: `/panel${path}`, headers: {} })
  const text = await new Response(body as ReadableStream<Uint8Array<ArrayBuffer>> | null).text()
  return status === 200 ? (JSON.parse(text) as unknown) : undefined
}
