import { app, session, shell } from 'electron'
import { isOurs } from './app-origin.ts'

/**
 * What no window of the app may do: attached to every window when it is created.
 * @param serviceUrl where the service listens on this computer, once it does.
 */
export function guardWindows(serviceUrl: () => string | undefined): void {
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
      openOutside(url, serviceUrl())
      return { action: 'deny' }
    })
  })
}

/** What our page may have: notifications, and for calls the microphone and a choice of speakers. */
const isNeeded = (permission: string, media: readonly (string | undefined)[] = []): boolean =>
  permission === 'media'
    ? media.length > 0 && media.every((kind) => kind === 'audio')
    : permission === 'notifications' || permission === 'speaker-selection'

/** Only our page, and of it the least. Local-network access is a permission too, and is refused with the rest. */
export function guardPermissions(): void {
  const { defaultSession } = session
  defaultSession.setPermissionRequestHandler((contents, permission, decide, details) =>
    decide(isNeeded(permission, 'mediaTypes' in details ? details.mediaTypes : []) && isOurs(contents.getURL())),
  )
  defaultSession.setPermissionCheckHandler(
    (_contents, permission, origin, { mediaType }) => isNeeded(permission, [mediaType]) && isOurs(`${origin}/`),
  )
  defaultSession.setDevicePermissionHandler(() => false)
}

/**
 * Hands an address to the person's browser, written out by the parser, so that no other program can be meant: https, and the
 * pages of our own service, such as those on which somebody pays or tries a widget.
 */
function openOutside(address: string, serviceUrl: string | undefined): void {
  const url = URL.parse(address)
  const isOwnPage = serviceUrl !== undefined && url?.origin === new URL(serviceUrl).origin
  if (url?.protocol === 'https:' || isOwnPage) void shell.openExternal(url.href)
}
