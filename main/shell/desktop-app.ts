import { app, dialog, protocol } from 'electron'
import { killIfPromptPending } from '../kernel/process-exit.ts'
import { SCHEME } from './app-origin.ts'
import { linkIn, routeOf } from './deep-link.ts'
import { guardPermissions, guardWindows } from './guards.ts'
import { setMenu } from './menu.ts'
import { openApp, restart, type Desktop, type WindowHolder } from './running-app.ts'
import { wordsFor } from './words.ts'

/** The desktop app: a single process with the service and one window. Resolves when the window is open. */
export async function runDesktop(desktop: Desktop): Promise<void> {
  if (!app.requestSingleInstanceLock()) {
    // The launcher would take a silent exit for a failure, and start a headless service beside the open window.
    process.send?.('already-running')
    return app.quit()
  }
  // All three take effect only before the app is ready.
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
  ])
  app.enableSandbox()
  const holder: WindowHolder = {}
  guardWindows(() => holder.serviceUrl)
  app.on('quit', killIfPromptPending)
  openWhenAsked(holder)

  await app.whenReady()
  if (app.isPackaged) app.setAsDefaultProtocolClient('switchboard')
  // Windows shows notifications only of programs with a name.
  if (process.platform === 'win32') app.setAppUserModelId('example.switchboard.desktop')
  guardPermissions()
  const words = wordsFor(app.getLocale())
  setMenu(words, () => holder.window?.open('/settings'))
  try {
    await openApp(await desktop.startService(() => restart(holder)), { desktop, holder, words })
  } catch (error) {
    dialog.showErrorBox(words.notStarted, error instanceof Error ? error.message : String(error))
    return app.exit(1)
  }
}

/**
 * Everything that opens the window. On macOS a link can start the app, so the link may come before the window exists.
 */
function openWhenAsked(holder: WindowHolder): void {
  function open(link?: string): void {
    if (holder.window === undefined) holder.link = link
    else holder.window.open(link === undefined ? undefined : routeOf(link))
  }
  app.on('second-instance', (_event, words) => open(linkIn(words)))
  app.on('open-url', (event, link) => {
    event.preventDefault()
    open(link)
  })
  app.on('activate', () => open())
  // The tray keeps the app running: numbers stay connected without a window.
  app.on('window-all-closed', () => {})
}
