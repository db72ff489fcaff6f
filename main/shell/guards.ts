import { app, session, shell } from 'electron'
import { isOurs } from './app-origin.ts'

/**
 * Restrictions for every window of the app, attached when it is created.
 * @param serviceUrl local URL of the service, once it listens.
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

/** Permissions of our page: notifications, and for calls the microphone and the choice of speakers. */
const isNeeded = (permission: string, media: readonly (string | undefined)[] = []): boolean =>
  permission === 'media'
    ? media.length > 0 && media.every((kind) => kind === 'audio')
    : permission === 'notifications' || permission === 'speaker-selection'

/** Grants only our page the few permissions it needs. Local-network access is also a permission, and is refused. */
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
 * Opens a URL in the person's browser, serialized by the parser so that it cannot start another program: https, and
 * pages of our own service, such as those for payments or widget tests.
 */
function openOutside(address: string, serviceUrl: string | undefined): void {
  const url = URL.parse(address)
  const isOwnPage = serviceUrl !== undefined && url?.origin === new URL(serviceUrl).origin
  if (url?.protocol === 'https:' || isOwnPage) void shell.openExternal(url.href)
}
