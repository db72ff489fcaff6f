import { app, Menu, type MenuItemConstructorOptions } from 'electron'
import type { MenuWord, Words } from './words/shape.ts'

type Role = NonNullable<MenuItemConstructorOptions['role']>

const LINE: MenuItemConstructorOptions = { type: 'separator' }

/** The standard menu items and the settings. All other actions are in the page. */
export function setMenu({ menu, quit, settings }: Words, openSettings: () => void): void {
  const item = (role: Role, word: MenuWord): MenuItemConstructorOptions => ({ role, label: menu[word] })
  const isMac = process.platform === 'darwin'
  const ofTheApp = [
    item('about', 'about'),
    LINE,
    { label: settings, accelerator: 'CmdOrCtrl+,', click: openSettings },
    LINE,
    ...(isMac ? [item('hide', 'hide'), item('hideOthers', 'hideOthers'), item('unhide', 'showAll'), LINE] : []),
    { role: 'quit', label: quit },
  ] satisfies MenuItemConstructorOptions[]
  const edit = [
    item('undo', 'undo'),
    item('redo', 'redo'),
    LINE,
    item('cut', 'cut'),
    item('copy', 'copy'),
    item('paste', 'paste'),
    item('selectAll', 'selectAll'),
  ]
  const view = [
    item('resetZoom', 'actualSize'),
    item('zoomIn', 'zoomIn'),
    item('zoomOut', 'zoomOut'),
    LINE,
    item('togglefullscreen', 'fullScreen'),
    // Developer tools are for development; a packaged app has none.
    ...(app.isPackaged ? [] : inspecting),
  ]
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      { label: app.name, submenu: ofTheApp },
      { label: menu.edit, submenu: edit },
      { label: menu.view, submenu: view },
      { label: menu.window, role: 'window', submenu: [item('minimize', 'minimize'), item('close', 'close')] },
    ]),
  )
}

const inspecting: MenuItemConstructorOptions[] = [LINE, { role: 'reload' }, { role: 'toggleDevTools' }]
