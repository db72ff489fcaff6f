import { contextBridge, ipcRenderer } from 'electron'
import type { UpdateState, WindowBridge, WindowRequests } from '../main/contract/window-bridge.ts'

/** Inserted by the build, from package.json. */
declare const __VERSION__: string

/** Each request has its own function and channel; the page cannot choose a channel. */
const ask =
  <K extends keyof WindowRequests>(channel: K) =>
  (...given: Parameters<WindowRequests[K]>) =>
    // shell/window-requests.ts returns these types.
    ipcRenderer.invoke(channel, ...given) as ReturnType<WindowRequests[K]>

function on(channel: string, act: (value: unknown) => void): () => void {
  // The event object is not passed on to the page.
  const listener = (_event: unknown, value: unknown) => act(value)
  ipcRenderer.on(channel, listener)
  return () => void ipcRenderer.off(channel, listener)
}

const bridge: WindowBridge = Object.freeze({
  platform: process.platform,
  version: __VERSION__,
  onOpenRoute: (act) => on('open-route', (route) => act(String(route))),
  onUpdate: (act) => on('update', (state) => act(state as UpdateState)),
  readPreferences: ask('readPreferences'),
  changePreferences: ask('changePreferences'),
  readUpdate: ask('readUpdate'),
  lookForUpdate: ask('lookForUpdate'),
  fetchUpdate: ask('fetchUpdate'),
  restartToUpdate: ask('restartToUpdate'),
  setUnsaved: ask('setUnsaved'),
  readPasskeyReadiness: ask('readPasskeyReadiness'),
  signPasskey: ask('signPasskey'),
} satisfies WindowBridge)

contextBridge.exposeInMainWorld('switchboard', bridge)
