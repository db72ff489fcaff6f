import { contextBridge } from 'electron'

/** Put in by the build, from package.json. */
declare const __VERSION__: string

/** The few native things the window may know. All data travels over HTTP. */
const bridge = Object.freeze({ platform: process.platform, version: __VERSION__ })

export type SwitchboardBridge = typeof bridge

contextBridge.exposeInMainWorld('switchboard', bridge)
