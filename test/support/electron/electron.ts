/**
 * Stands in for Electron where its binary is absent: our real main process on Node, its windows as pages of a real
 * Chromium. It shows that our code works, not that Electron runs it. What it does not cover throws.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type BrowserContext, type Page } from 'playwright-core'
import { covered, record, recorded } from './covered.ts'
import { openGateway, type Gateway } from './gateway.ts'
import { keychain } from './keytar.ts'
import { takeLock } from './lock.ts'
import { preloadScript } from './preload.ts'

const {
  STAND_IN_PROFILE: profile = '',
  STAND_IN_BROWSER: browser = '',
  STAND_IN_LOCALE: locale = 'en-US',
  /** Further words for the browser, as a JSON list. */
  STAND_IN_WORDS: words = '[]',
  /** The resources folder of a package; without one it is a start from the project. */
  STAND_IN_PACKAGED: packaged = '',
} = process.env

// As Electron has them: a package is itself the program, and the project is the first word given to Electron.
const isPackaged = packaged !== ''
const entry = process.argv[1] ?? ''
if (isPackaged) process.argv.splice(1, 1)
Object.assign(process, { defaultApp: isPackaged ? undefined : true, resourcesPath: packaged || join(profile, 'none') })

let gateway!: Gateway
let context: BrowserContext
const privileged = new Map<string, Readonly<Record<string, boolean>>>()
let [isReady, isQuitting] = [false, false]

const preventable = <T extends object>(more: T) => {
  let isPrevented = false
  return {
    ...more,
    preventDefault: () => void (isPrevented = true),
    get isPrevented() {
      return isPrevented
    },
  }
}

const appEvents = new EventEmitter()
const whenReady = (async () => {
  // The main module runs first; where it quits at once, no browser is started.
  await new Promise((done) => setImmediate(done))
  if (isQuitting) return new Promise<void>(() => {})
  gateway = await openGateway()
  context = await chromium.launchPersistentContext(profile, {
    executablePath: browser,
    args: [
      '--no-sandbox',
      '--remote-debugging-port=0',
      '--font-render-hinting=none',
      ...(JSON.parse(words) as string[]),
    ],
    viewport: { width: 1240, height: 820 },
    locale,
  })
  // A window that no code of ours made: a popup. Its first request has no frame to ask about.
  await context.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  isReady = true
})()

async function quit(): Promise<void> {
  isQuitting = true
  if (!isReady) return void setTimeout(() => process.exit(0), 50)
  const before = preventable({})
  appEvents.emit('before-quit', before)
  if (before.isPrevented) return
  for (const window of BrowserWindow.all) if (!window.askToClose()) return
  appEvents.emit('will-quit', preventable({}))
  appEvents.emit('quit', {}, 0)
  await end(0)
}

async function end(code: number): Promise<void> {
  await context.close().catch(() => {})
  await gateway.close()
  process.exit(code)
}

export const app = covered('app', {
  name: 'Switchboard',
  isPackaged,
  on: (name: string, act: (...given: any[]) => void) => void appEvents.on(name, act),
  emit: (name: string, ...given: unknown[]) => appEvents.emit(name, ...given),
  getVersion: () =>
    (JSON.parse(readFileSync(join(entry, '../../../package.json'), 'utf8')) as { version: string }).version,
  whenReady: () => whenReady,
  enableSandbox: recorded('app.enableSandbox'),
  requestSingleInstanceLock: () => takeLock(profile, (argv) => appEvents.emit('second-instance', {}, argv, '/')),
  getLocale: () => locale,
  setBadgeCount: recorded('app.setBadgeCount'),
  relaunch: recorded('app.relaunch'),
  setAsDefaultProtocolClient: recorded('app.setAsDefaultProtocolClient'),
  quit: () => void quit(),
  exit: (code: number) => void end(code),
})

export const protocol = covered('protocol', {
  registerSchemesAsPrivileged(schemes: { scheme: string; privileges: Record<string, boolean> }[]) {
    if (isReady) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
    for (const { scheme, privileges } of schemes) privileged.set(scheme, privileges)
  },
  handle(scheme: string, handler: (request: Request) => Promise<Response>) {
    const { standard, secure } = privileged.get(scheme) ?? {}
    if (!standard || !secure) throw new Error(`electron stand-in: ${scheme} was not registered as standard and secure`)
    gateway.handle(scheme, handler)
  },
})

type Handler = (event: object, ...given: unknown[]) => unknown
interface Frame {
  readonly url: string
  readonly parent: Frame | null
}

const handlers = new Map<string, Handler>()
export const ipcMain = covered('ipcMain', {
  handle(channel: string, handler: Handler) {
    if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    handlers.set(channel, handler)
  },
})

/** What a frame asks over IPC. Refusals are worded as Electron's, so that the page sees no more here than there. */
async function invoke(senderFrame: Frame | null, channel: string, given: readonly unknown[]): Promise<object> {
  try {
    const handler = handlers.get(channel)
    if (handler === undefined) throw new Error(`No handler registered for '${channel}'`)
    return { value: structuredClone(await handler({ senderFrame }, ...structuredClone(given))) }
  } catch (error) {
    return { refused: `Error invoking remote method '${channel}': ${String(error)}` }
  }
}

const PARENT_PORT = new URL('parent-port.mjs', import.meta.url).href

/** A process of Node in the place of Electron's own; it has the same words before its arguments. */
export const utilityProcess = covered('utilityProcess', {
  fork(
    program: string,
    args: readonly string[],
    { stdio, execArgv = [] }: { stdio: 'ignore' | ['ignore', 'pipe', 'pipe']; execArgv?: readonly string[] },
  ) {
    if (!isReady) throw new Error('utilityProcess cannot be created before app is ready')
    record.push({ what: 'utilityProcess.fork', given: [program, args] })
    const output = stdio === 'ignore' ? (['ignore', 'ignore', 'ignore'] as const) : stdio
    const child = spawn(process.execPath, [...execArgv, '--import', PARENT_PORT, program, ...args], {
      stdio: [...output, 'ipc'],
      serialization: 'advanced',
    })
    return Object.assign(child, { postMessage: (message: object) => void child.send(message) })
  },
})

/** Neither sleeps nor shuts down by itself: a test says when. */
export const powerMonitor = covered('powerMonitor', emitter())
/** Electron's own; electron-updater lets it say the same. */
export const autoUpdater = covered('autoUpdater', emitter())

function emitter() {
  const events = new EventEmitter()
  return {
    on: (name: string, act: (...given: any[]) => void) => void events.on(name, act),
    emit: (name: string, ...given: unknown[]) => events.emit(name, ...given),
  }
}

const permissions = { request: undefined as unknown, check: undefined as unknown, device: undefined as unknown }
type RequestFilter = (details: { url: string }, decide: (answer: { cancel?: boolean }) => void) => void
const partitions = new Map<string, { filter?: RequestFilter }>()
export const session = covered('session', {
  /** Only what is asked of requests is done; storage is not kept apart. */
  fromPartition(name: string, options: object) {
    if (name.startsWith('persist:')) throw new Error('electron stand-in: only partitions in memory are covered')
    record.push({ what: 'session.fromPartition', given: [name, options] })
    const partition: { filter?: RequestFilter } = {}
    partitions.set(name, partition)
    const denies = (what: string) => (handler: (...given: unknown[]) => unknown) => {
      const decided: unknown[] = []
      decided.push(handler({}, 'media', (allowed: boolean) => void decided.push(allowed)))
      record.push({ what: `partition.${what}`, given: [decided.includes(true)] })
    }
    return covered('session.partition', {
      setPermissionRequestHandler: denies('request'),
      setPermissionCheckHandler: denies('check'),
      setDevicePermissionHandler: denies('device'),
      webRequest: covered('webRequest', {
        onBeforeRequest: (filter: RequestFilter) => void (partition.filter = filter),
      }),
    })
  },
  defaultSession: covered('session.defaultSession', {
    setPermissionRequestHandler: (handler: unknown) => void (permissions.request = handler),
    setPermissionCheckHandler: (handler: unknown) => void (permissions.check = handler),
    setDevicePermissionHandler: (handler: unknown) => void (permissions.device = handler),
  }),
})

interface WindowOptions {
  readonly webPreferences: Readonly<Record<string, unknown>> & {
    readonly preload?: string
    readonly partition?: string
  }
}

/** As strict as a sandboxed Electron window: anything else is refused. */
const DEMANDED = { sandbox: true, contextIsolation: true, nodeIntegration: false, webviewTag: false, webSecurity: true }

export class BrowserWindow extends EventEmitter {
  static all: BrowserWindow[] = []
  readonly webContents: ReturnType<BrowserWindow['contents']>
  private readonly secret = `stand-in-${randomUUID()}`
  private readonly page: Promise<Page>
  private visible = false
  private focused = false
  private going = ''

  constructor(options: WindowOptions) {
    super()
    const { webPreferences } = options
    for (const [name, value] of Object.entries(DEMANDED)) {
      if (webPreferences[name] !== value) throw new Error(`electron stand-in: webPreferences.${name} must be ${value}`)
    }
    record.push({ what: 'BrowserWindow', given: [options] })
    const { preload, partition } = webPreferences
    this.page =
      preload === undefined
        ? this.openForeignPage(partitions.get(partition ?? '')?.filter)
        : this.openPage(readFileSync(preload, 'utf8'))
    this.webContents = this.contents()
    BrowserWindow.all.push(this)
    appEvents.emit('web-contents-created', {}, this.webContents)
    return covered('BrowserWindow', this)
  }

  /** A page without a preload: it has nothing of ours, and only the requests that its partition lets through. */
  private async openForeignPage(filter: RequestFilter | undefined): Promise<Page> {
    const page = await context.newPage()
    await page.route('**/*', async (route) => {
      const request = route.request()
      const url = request.url()
      const event = preventable({ url })
      if (request.isNavigationRequest() && url !== this.going) this.webContents.emit('will-navigate', event)
      if (event.isPrevented) return route.fulfill({ status: 204 })
      const isCancelled = await new Promise<boolean>((resolve) => {
        if (filter === undefined) resolve(false)
        else filter({ url }, ({ cancel = false }) => resolve(cancel))
      })
      record.push({ what: 'partition.request', given: [url, isCancelled ? 'cancelled' : 'sent'] })
      await (isCancelled ? route.abort() : route.continue())
    })
    page.on('close', () => {
      this.isGone = true
      this.emit('closed')
    })
    return page
  }

  private isGone = false
  isDestroyed = () => this.isGone
  destroy = () => {
    this.isGone = true
    BrowserWindow.all = BrowserWindow.all.filter((each) => each.secret !== this.secret)
    void this.page.then((page) => page.close())
  }

  private async openPage(preload: string): Promise<Page> {
    const page = context.pages().find((one) => one.url() === 'about:blank') ?? (await context.newPage())
    await page.exposeBinding(`${this.secret}-ask`, ({ frame }, channel: string, given: unknown[]) =>
      invoke({ url: gateway.toApp(frame.url()), parent: null }, channel, given),
    )
    await page.addInitScript(preloadScript(preload, this.secret))
    await page.route('**/*', async (route) => {
      const request = route.request()
      if (!request.isNavigationRequest()) return route.continue()
      const url = gateway.toApp(request.url())
      if (request.url() === this.going) return route.continue()
      const event = preventable({ url })
      this.webContents.emit('will-navigate', event)
      // An answer without content leaves the page where it is, as a prevented navigation does.
      return event.isPrevented ? route.fulfill({ status: 204 }) : route.continue()
    })
    page.on('popup', (popup) => {
      void (async () => {
        // Its first request was answered with an empty page, so that its address can be read.
        await popup.waitForLoadState()
        const url = gateway.toApp(popup.url())
        record.push({ what: 'window.open', given: [url, this.openHandler?.({ url }).action ?? 'allow'] })
        await popup.close()
      })()
    })
    return page
  }

  private openHandler: ((details: { url: string }) => { action: string }) | undefined

  private contents() {
    const events = new EventEmitter()
    return covered('webContents', {
      on: (name: string, act: (...given: any[]) => void) => void events.on(name, act),
      emit: (name: string, ...given: unknown[]) => events.emit(name, ...given),
      setWindowOpenHandler: (handler: (details: { url: string }) => { action: string }) => {
        this.openHandler = handler
      },
      getURL: () => this.going,
      executeJavaScript: async (code: string): Promise<unknown> => (await this.page).evaluate(code),
      send: (channel: string, ...given: unknown[]) => {
        const detail = { channel, given: structuredClone(given) }
        void this.page.then((page) =>
          page.evaluate(([name, what]) => void dispatchEvent(new CustomEvent(name, { detail: what })), [
            this.secret,
            detail,
          ] as const),
        )
      },
    })
  }

  async loadURL(address: string): Promise<void> {
    const page = await this.page
    this.going = gateway.toReal(address)
    await page.goto(this.going)
    this.emit('ready-to-show')
  }

  /** A page that wants another window, under whatever address. @returns what the app says to it */
  askToOpen(url: string): string {
    return this.openHandler?.({ url }).action ?? 'allow'
  }

  askToClose(): boolean {
    const event = preventable({})
    this.emit('close', event)
    return !event.isPrevented
  }

  show = () => void (this.visible = this.focused = true)
  hide = () => void (this.visible = this.focused = false)
  isVisible = () => this.visible
  isFocused = () => this.focused
  /** Somebody looks at another program; only tests say so. */
  blur = () => void (this.focused = false)
  focus = () => {
    this.focused = this.visible
    record.push({ what: 'window.focus', given: [] })
  }
  maximize = () => {
    this.visible = true
    record.push({ what: 'window.maximize', given: [] })
  }
  isMaximized = () => false
  isMinimized = () => false
  getNormalBounds = () => ({ x: 10, y: 20, width: 1240, height: 820 })
}

export const screen = covered('screen', {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1040 } }],
})

export const dialog = covered('dialog', {
  showErrorBox: recorded('dialog.showErrorBox'),
  showMessageBox: async (_window: unknown, options: object) => {
    record.push({ what: 'dialog.showMessageBox', given: [options] })
    return { response: 0 }
  },
})

export const shell = covered('shell', {
  openExternal: async (url: string) => void record.push({ what: 'shell.openExternal', given: [url] }),
})

export const Menu = covered('Menu', {
  buildFromTemplate: (template: unknown) => template,
  setApplicationMenu: recorded('Menu.setApplicationMenu'),
})

export const nativeImage = covered('nativeImage', { createFromPath: (file: string) => readFileSync(file).length })

export class Tray extends EventEmitter {
  constructor(icon: number) {
    super()
    record.push({ what: 'Tray', given: [icon] })
    return covered('Tray', this)
  }
  setToolTip = recorded('tray.setToolTip')
  setContextMenu = recorded('tray.setContextMenu')
  destroy = recorded('tray.destroy')
}

export class Notification extends EventEmitter {
  static isSupported = () => true
  /** On the screen, for a test to click. */
  static all: Notification[] = []
  private readonly options: object
  constructor(options: object) {
    super()
    this.options = options
    return covered('Notification', this)
  }
  show = () => {
    Notification.all.push(this)
    record.push({ what: 'Notification', given: [this.options] })
  }
}

/** The launcher of the tests asks for things by message: {evaluate, given} → {result} or {failed}. */
process.on('message', (message: { id: number; evaluate?: string; given?: unknown; stop?: true }) => {
  if (message.stop) return app.quit()
  void (async () => {
    const asked = { invoke, keychain, permissions, record }
    const electron = { app, autoUpdater, BrowserWindow, dialog, Notification, powerMonitor, shell, ...asked }
    // oxlint-disable-next-line typescript/no-implied-eval -- a test's own function, sent over as Playwright does
    const act = new Function(`return (${message.evaluate ?? ''})`)() as (electron: object, given: unknown) => unknown
    try {
      const result = await act(electron, message.given)
      process.send?.({ id: message.id, result: JSON.parse(JSON.stringify(result ?? null)) as unknown })
    } catch (error) {
      process.send?.({ id: message.id, failed: String(error) })
    }
  })()
})
// Electron quits in order when it is asked to end.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => app.quit())
// A forked host outlives a dead test run otherwise.
process.on('disconnect', () => void end(0))
// Never awaited here: Electron runs the main module first and is ready afterwards.
void whenReady.then(() =>
  process.send?.({
    gateway: gateway.toReal('app://switchboard/'),
    cdp: readFileSync(`${profile}/DevToolsActivePort`, 'utf8'),
  }),
)
