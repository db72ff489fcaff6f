import { randomUUID } from 'node:crypto'
import { BrowserWindow, session } from 'electron'
import { PASSKEY_PAGE } from '../../contract/passkey.ts'
import type { SigningPage } from './signing.ts'

/**
 * WhatsApp's page in a window that can do nothing else: an in-memory partition, no preload, no permissions, and no other
 * URL. The system's own dialogs ask for the passkey.
 */
export async function openWindowPage(): Promise<SigningPage> {
  const partition = `passkey-${randomUUID()}`
  guardPartition(partition)
  const window = new BrowserWindow({
    ...{ width: 480, height: 640, autoHideMenuBar: true, minimizable: false, maximizable: false },
    webPreferences: {
      partition,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      devTools: false,
      spellcheck: false,
    },
  })
  const { webContents: contents } = window
  // The guards of every window stop its navigation; here a popup does not open in the person's browser either.
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  const gone = new Promise<void>((resolve) => void window.once('closed', () => resolve()))
  const close = async () => {
    if (!window.isDestroyed()) window.destroy()
  }
  try {
    await window.loadURL(PASSKEY_PAGE)
  } catch (error) {
    await close()
    throw error
  }
  return { evaluate: (expression) => contents.executeJavaScript(expression, true), gone, close }
}

function guardPartition(name: string): void {
  const partition = session.fromPartition(name, { cache: false })
  partition.setPermissionRequestHandler((_contents, _permission, decide) => decide(false))
  partition.setPermissionCheckHandler(() => false)
  partition.setDevicePermissionHandler(() => false)
  partition.webRequest.onBeforeRequest(({ url }, decide) => decide({ cancel: url !== PASSKEY_PAGE }))
}
