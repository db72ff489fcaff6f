import type { WindowBridge } from '../../main/contract/window-bridge.ts'

/** What the desktop app's preload offers; undefined in a browser. */
export const windowBridge = (): WindowBridge | undefined => (window as { switchboard?: WindowBridge }).switchboard
