import { BrowserWindow, dialog, screen } from 'electron'
import type { Closing } from '../contract/window-bridge.ts'
import { HOME_PAGE } from './app-origin.ts'
import { windowStateIn, onScreen } from './window-state.ts'
import type { Words } from './words/shape.ts'

interface WindowDeps {
  readonly preload: string
  readonly icon: string
  /** Where the window's place is remembered. */
  readonly home: string
  readonly words: Words
  /** It stays in the tray until somebody asks for it. */
  readonly isHidden: boolean
  readonly closing: () => Closing
  /** What the person answered when closing asked. */
  readonly onClosingChosen: (closing: Closing) => void
  readonly quit: () => void
}

/** The one window. Closing hides it; the service goes on. */
export interface MainWindow {
  /** Resolves when the first page has loaded. */
  readonly loaded: Promise<void>
  /** Shows it and brings it to the front. @param route of the page, such as `/instances/…`. */
  open(route?: string): void
  /** Sends the page a message over the preload. */
  send(channel: 'update', value: unknown): void
  /** Somebody has it before their eyes. */
  isFocused(): boolean
  /** From now on closing closes. */
  release(): void
  setUnsaved(isUnsaved: boolean): void
  /** Asks, in front of the window, whether what is only typed may be lost. Nothing typed: it may. */
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
  // Maximizing shows it, so that waits as well.
  let shouldMaximize = state.maximized
  function reveal(): void {
    if (shouldMaximize) window.maximize()
    shouldMaximize = false
    window.show()
  }
  if (!deps.isHidden) window.once('ready-to-show', reveal)

  function saveState(): void {
    // The size to come back to, not the one of a window that fills the screen.
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
      // It is quitting meanwhile, for another reason.
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

/** Asked once; Settings has it afterwards. */
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

/** Escape and closing the box keep what was typed. */
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
