import { readdirSync } from 'node:fs'
import type { PasskeyReadiness } from '../../contract/window-bridge.ts'
import { findInstalledBrowser, type Computer } from './installed-browser.ts'

interface ReadinessNeeds extends Computer {
  /** Names in a folder. @throws Error if there is none. */
  readonly list?: (folder: string) => readonly string[]
}

const LINUX_BLUETOOTH = '/sys/class/bluetooth'

/** The passkey options of this computer, found without opening anything. */
export function passkeyReadiness({ list = readdirSync, ...computer }: ReadinessNeeds): PasskeyReadiness {
  if (computer.platform === 'win32') return { way: 'window', hasBluetooth: null }
  const way = findInstalledBrowser(computer) ? 'browser' : 'none'
  return { way, hasBluetooth: computer.platform === 'linux' ? hasAdapter(list) : null }
}

function hasAdapter(list: (folder: string) => readonly string[]): boolean {
  try {
    return list(LINUX_BLUETOOTH).length > 0
  } catch {
    // The kernel creates the folder only with a driver.
    return false
  }
}
