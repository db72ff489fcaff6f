import { contextBridge, ipcRenderer } from 'electron'
import type { WindowBridge } from '../main/contract/window-bridge.ts'

/** Put in by the build, from package.json. */
declare const __VERSION__: string

const bridge: WindowBridge = Object.freeze({
  platform: process.platform,
  version: __VERSION__,
  onOpenRoute(act) {
    // The event itself never crosses.
    const hear = (_event: unknown, route: unknown) => act(String(route))
    ipcRenderer.on('open-route', hear)
    return () => void ipcRenderer.off('open-route', hear)
  },
} satisfies WindowBridge)

contextBridge.exposeInMainWorld('switchboard', bridge)
