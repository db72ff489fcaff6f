import { app, dialog, protocol } from 'electron'
import { killIfPromptPending } from '../kernel/process-exit.ts'
import { SCHEME } from './app-origin.ts'
import { linkIn, routeOf } from './deep-link.ts'
import { guardPermissions, guardWindows } from './guards.ts'
import { setMenu } from './menu.ts'
import { openApp, restart, type Desktop, type WindowHolder } from './running-app.ts'
import { wordsFor } from './words.ts'

/** The desktop app: one instance, the service inside it, one window on it. Resolves when the window is there. */
export async function runDesktop(desktop: Desktop): Promise<void> {
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
  const holder: WindowHolder = {}
  guardWindows(() => holder.serviceUrl)
  app.on('quit', killIfPromptPending)
  openWhenAsked(holder)

  await app.whenReady()
  if (app.isPackaged) app.setAsDefaultProtocolClient('switchboard')
  // Windows shows no notes of a program it cannot name.
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

/** Anything that opens the window. On macOS, a link can start the app, so it may come before the window exists. */
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
  // The tray keeps the app: numbers stay connected without a window.
  app.on('window-all-closed', () => {})
}
