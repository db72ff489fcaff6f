import { BrowserWindow, dialog, screen } from 'electron'
import type { Closing } from '../contract/window-bridge.ts'
import { HOME_PAGE } from './app-origin.ts'
import { windowStateIn, onScreen } from './window-state.ts'
import type { Words } from './words/shape.ts'

interface WindowDeps {
  readonly preload: string
  readonly icon: string
  /** Folder in which the window's position is stored. */
  readonly home: string
  readonly words: Words
  /** The window stays in the tray until it is opened. */
  readonly isHidden: boolean
  readonly closing: () => Closing
  /** The person's answer when closing asked for the first time. */
  readonly onClosingChosen: (closing: Closing) => void
  readonly quit: () => void
}

/** The single window. Closing hides it, and the service keeps running. */
export interface MainWindow {
  /** Resolves when the first page has loaded. */
  readonly loaded: Promise<void>
  /** Shows it and brings it to the front. @param route of the page, such as `/instances/…`. */
  open(route?: string): void
  /** Sends the page a message over the preload. */
  send(channel: 'update', value: unknown): void
  /** The window is visible and has the focus. */
  isFocused(): boolean
  /** From now on, closing really closes the window. */
  release(): void
  setUnsaved(isUnsaved: boolean): void
  /** Asks whether unsaved input may be lost. true if there is none. */
  mayQuit(): true | Promise<boolean>
  hide(): void
}

export function openMainWindow(deps: WindowDeps): MainWindow {
  const stateFile = windowStateIn(deps.home)
  const state = onScreen(
    stateFile.read(),
    screen.getAllDisplays().map(({ workArea }) => workArea),
  )
  const window = new BrowserWindow({
    ...boundsOf(state),
    minWidth: 720,
    minHeight: 520,
    show: false,
    icon: deps.icon,
    autoHideMenuBar: true,
    backgroundColor: '#0f172a',
    webPreferences: {
      preload: deps.preload,
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
  // Maximizing also shows the window, so it waits too.
  let shouldMaximize = state.maximized
  function reveal(): void {
    if (shouldMaximize) window.maximize()
    shouldMaximize = false
    window.show()
  }
  if (!deps.isHidden) window.once('ready-to-show', reveal)

  function saveState(): void {
    // The size before maximizing, not the size of a full-screen window.
    const { x, y, width, height } = window.getNormalBounds()
    stateFile.write({ x, y, width, height, maximized: shouldMaximize || window.isMaximized() })
  }

  let isReleased = false
  let isAsking = false
  let isUnsaved = false
  window.on('close', (event) => {
    saveState()
    if (isReleased) return
    event.preventDefault()
    void closeAsChosen()
  })

  async function closeAsChosen(): Promise<void> {
    if (isAsking) return
    let closing = deps.closing()
    if (closing === 'ask') {
      isAsking = true
      closing = await ask(window, deps.words)
      isAsking = false
      // The app is quitting for another reason.
      if (isReleased) return
      deps.onClosingChosen(closing)
    }
    if (closing === 'hide') window.hide()
    else deps.quit()
  }

  return {
    loaded: window.loadURL(HOME_PAGE),
    open(route) {
      if (window.isMinimized()) window.restore()
      reveal()
      window.focus()
      if (route !== undefined) window.webContents.send('open-route', route)
    },
    send: (channel, value) => window.webContents.send(channel, value),
    isFocused: () => window.isVisible() && window.isFocused(),
    release: () => void (isReleased = true),
    setUnsaved: (next) => void (isUnsaved = next),
    mayQuit() {
      if (!isUnsaved) return true
      reveal()
      window.focus()
      return askToQuit(window, deps.words)
    },
    hide: () => window.hide(),
  }
}

const boundsOf = ({ width, height, x, y }: ReturnType<typeof onScreen>) =>
  x === undefined || y === undefined ? { width, height } : { width, height, x, y }

/** Asked once; later the choice is in Settings. */
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

/** Escape and closing the dialog keep the input. */
async function askToQuit(window: BrowserWindow, { quitting }: Words): Promise<boolean> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    message: quitting.question,
    detail: quitting.detail,
    buttons: [quitting.stay, quitting.quit],
    defaultId: 0,
    cancelId: 0,
  })
  return response === 1
}
