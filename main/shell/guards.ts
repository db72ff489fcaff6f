import { app, session, shell } from 'electron'
import { isOurs } from './app-origin.ts'

/** What no window of the app may do: attached to every window when it is created. */
export function guardWindows(): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-attach-webview', (event) => event.preventDefault())
    contents.on('will-navigate', (event) => {
      if (!isOurs(event.url)) event.preventDefault()
    })
    contents.on('will-frame-navigate', (event) => {
      if (!isOurs(event.url)) event.preventDefault()
    })
    contents.on('will-redirect', (event) => {
      if (!isOurs(event.url)) event.preventDefault()
    })
    contents.setWindowOpenHandler(({ url }) => {
      openOutside(url)
      return { action: 'deny' }
    })
  })
}

/** Only our page, and of it only notifications. Local-network access is a permission too, and is refused with the rest. */
export function guardPermissions(): void {
  const { defaultSession } = session
  defaultSession.setPermissionRequestHandler((contents, permission, decide) =>
    decide(permission === 'notifications' && isOurs(contents.getURL())),
  )
  defaultSession.setPermissionCheckHandler(
    (_contents, permission, origin) => permission === 'notifications' && isOurs(`${origin}/`),
  )
  defaultSession.setDevicePermissionHandler(() => false)
}

/** Hands an address to the person's browser: https only, written out by the parser, so that no other program can be meant. */
function openOutside(address: string): void {
  const url = URL.parse(address)
  if (url?.protocol === 'https:') void shell.openExternal(url.href)
}
