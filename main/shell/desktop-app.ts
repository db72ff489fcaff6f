import { app, dialog, Notification, protocol } from 'electron'
import { join } from 'node:path'
import { createConsoleFiles } from '../faces/panel/files.ts'
import { systemClock } from '../kernel/clock.ts'
import { cause, type Log } from '../kernel/log.ts'
import type { Service } from '../service.ts'
import { createAppProtocol } from './app-protocol.ts'
import { SCHEME } from './addresses.ts'
import { linkIn, routeOf } from './deep-link.ts'
import { guardPermissions, guardWindows } from './guards.ts'
import { setMenu } from './menu.ts'
import { createTray } from './tray.ts'
import { watchService } from './watch.ts'
import { openMainWindow, type MainWindow } from './window.ts'
import { wordsFor } from './words.ts'

interface Paths {
  readonly argv: readonly string[]
  readonly preload: string
  /** The folder of the built page. */
  readonly renderer: string
  readonly resources: string
  /** Starts the service in this home. */
  readonly startService: () => Promise<{ readonly service: Service; readonly home: string; readonly log: Log }>
}

/** The desktop app: one instance, the service inside it, one window on it. Resolves when the window is there. */
export async function runDesktop({ argv, preload, renderer, resources, startService }: Paths): Promise<void> {
  if (!app.requestSingleInstanceLock()) {
    // The launcher would take a silent exit for a failure, and start a headless copy beside the open window.
    process.send?.('already-running')
    return app.quit()
  }
  // All three count only before the app is ready.
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
  ])
  app.enableSandbox()
  guardWindows()

  // There is one once the service has started; what comes before that finds none.
  const shown: { window?: MainWindow } = {}
  const open = (link?: string) => shown.window?.open(link === undefined ? undefined : routeOf(link))
  app.on('second-instance', (_event, words) => open(linkIn(words)))
  app.on('open-url', (event, link) => {
    event.preventDefault()
    open(link)
  })
  app.on('activate', () => open())
  // The tray keeps the app: numbers stay connected without a window.
  app.on('window-all-closed', () => {})

  await app.whenReady()
  if (app.isPackaged) app.setAsDefaultProtocolClient('switchboard')
  guardPermissions()
  const words = wordsFor(app.getLocale())
  setMenu(words)

  let [isClosing, isClosed] = [false, false]
  let started: Awaited<ReturnType<typeof startService>>
  try {
    started = await startService()
  } catch (error) {
    dialog.showErrorBox('Switchboard could not start', error instanceof Error ? error.message : String(error))
    return app.exit(1)
  }
  const { service, home, log } = started
  const files = createConsoleFiles(renderer)
  protocol.handle(
    SCHEME,
    createAppProtocol({
      file: (path) => files.find(path),
      panel: (request) => service.askAsConsole(request),
      isClosing: () => isClosing,
      onFault: (error) => log.error({ event: 'window.request', cause: cause(error) }),
    }),
  )

  const icon = join(resources, 'icons', 'icon.png')
  const window = (shown.window = openMainWindow({ preload, icon, home, words, quit: () => app.quit() }))
  const tray = createTray({
    icon: join(resources, 'tray', 'tray.png'),
    words,
    open: () => open(),
    quit: () => app.quit(),
  })
  const watch = watchService({
    clock: systemClock,
    log,
    read: (path) => readAsConsole(service, path),
    onNotice: (hear) => service.onNotice(hear),
    onCounts: (counts) => {
      tray.show(counts)
      app.setBadgeCount(counts.total - counts.connected)
    },
    onNote: ({ title, body, route }) => {
      if (window.isVisible() || !Notification.isSupported()) return
      const note = new Notification({ title, body })
      note.on('click', () => window.open(route))
      note.show()
    },
    words,
  })

  app.on('before-quit', (event) => {
    window.release()
    if (isClosed) return
    if (isClosing) return event.preventDefault()
    isClosing = true
    // Draining takes a moment; the second round ends the app.
    event.preventDefault()
    watch.stop()
    tray.destroy()
    void service.close().finally(() => {
      isClosed = true
      app.quit()
    })
  })

  await window.loaded
  process.send?.('opened')
  open(linkIn(argv))
}

/** An operation's answer, or undefined where it refuses: nobody at the window asked for it. */
async function readAsConsole(service: Service, path: string): Promise<unknown> {
  const { status, body } = await service.askAsConsole({ method: 'GET', path: `/panel${path}`, headers: {} })
  const text = await new Response(body as ReadableStream<Uint8Array<ArrayBuffer>> | null).text()
  return status === 200 ? (JSON.parse(text) as unknown) : undefined
}
