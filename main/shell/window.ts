import { BrowserWindow, dialog, screen } from 'electron'
import { HOME_PAGE } from './addresses.ts'
import { keptIn, onScreen, type WindowState } from './window-state.ts'
import type { Words } from './words.ts'

interface WindowNeeds {
  readonly preload: string
  readonly icon: string
  /** Where the window's place is remembered. */
  readonly home: string
  readonly words: Words
  /** Asked once what closing means: “quit” was chosen. */
  readonly quit: () => void
}

/** The one window. Closing hides it; the service goes on. */
export interface MainWindow {
  /** Resolves when the first page has loaded. */
  readonly loaded: Promise<void>
  /** Shows it and brings it to the front. @param route of the page, such as `/instances/…`. */
  open(route?: string): void
  isVisible(): boolean
  /** From now on closing closes. */
  release(): void
}

export function openMainWindow({ preload, icon, home, words, quit }: WindowNeeds): MainWindow {
  const kept = keptIn(home)
  let state = onScreen(
    kept.read(),
    screen.getAllDisplays().map(({ workArea }) => workArea),
  )
  const window = new BrowserWindow({
    ...placeOf(state),
    minWidth: 720,
    minHeight: 520,
    show: false,
    icon,
    autoHideMenuBar: true,
    backgroundColor: '#0f172a',
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: false,
    },
  })
  if (state.maximized) window.maximize()
  window.once('ready-to-show', () => window.show())

  function keep(change: Partial<WindowState> = {}): void {
    // The size to come back to, not the one of a window that fills the screen.
    const { x, y, width, height } = window.getNormalBounds()
    state = { ...state, x, y, width, height, maximized: window.isMaximized(), ...change }
    kept.write(state)
  }

  let isReleased = false
  window.on('close', (event) => {
    keep()
    if (isReleased) return
    event.preventDefault()
    void closeAsChosen()
  })

  async function closeAsChosen(): Promise<void> {
    const closing = state.closing ?? (await ask(window, words))
    if (state.closing === undefined) keep({ closing })
    if (closing === 'hide') window.hide()
    else quit()
  }

  return {
    loaded: window.loadURL(HOME_PAGE),
    open(route) {
      if (window.isMinimized()) window.restore()
      window.show()
      window.focus()
      if (route !== undefined) window.webContents.send('open-route', route)
    },
    isVisible: () => window.isVisible(),
    release: () => void (isReleased = true),
  }
}

const placeOf = ({ width, height, x, y }: WindowState) =>
  x === undefined || y === undefined ? { width, height } : { width, height, x, y }

/** Asked once; what was chosen stands in window.json and can be changed by removing it there. */
async function ask(window: BrowserWindow, { closing }: Words): Promise<'hide' | 'quit'> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message: closing.question,
    detail: closing.detail,
    buttons: [closing.hide, closing.quit],
    defaultId: 0,
    cancelId: 0,
  })
  return response === 1 ? 'quit' : 'hide'
}
