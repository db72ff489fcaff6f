import { contextBridge, ipcRenderer } from 'electron'

/** Put in by the build, from package.json. */
declare const __VERSION__: string

/** The few native things the window may know. All data travels over HTTP. */
const bridge = Object.freeze({
  platform: process.platform,
  version: __VERSION__,
  /** Calls back when the system asks for a place of the page (a deep link, a notification). @returns ends it. */
  onOpenRoute(act: (route: string) => void): () => void {
    const hear = (_event: unknown, route: unknown) => act(String(route))
    ipcRenderer.on('open-route', hear)
    return () => void ipcRenderer.off('open-route', hear)
  },
})

export type SwitchboardBridge = typeof bridge

contextBridge.exposeInMainWorld('switchboard', bridge)
