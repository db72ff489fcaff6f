import { app, Menu, type MenuItemConstructorOptions } from 'electron'
import type { Words } from './words.ts'

/** The standard roles and nothing else: what Switchboard does is done in its page. */
export function setMenu(words: Words): void {
  const ofTheApp: MenuItemConstructorOptions = {
    label: app.name,
    submenu: [
      { role: 'about' },
      { type: 'separator' },
      ...(process.platform === 'darwin' ? hiding : []),
      { role: 'quit', label: words.quit },
    ],
  }
  const view: MenuItemConstructorOptions = {
    role: 'viewMenu',
    submenu: [
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { type: 'separator' },
      { role: 'togglefullscreen' },
      // Whoever develops looks inside; a customer's packaged app has no inspector.
      ...(app.isPackaged ? [] : inspecting),
    ],
  }
  Menu.setApplicationMenu(Menu.buildFromTemplate([ofTheApp, { role: 'editMenu' }, view, { role: 'windowMenu' }]))
}

const hiding: MenuItemConstructorOptions[] = [
  { role: 'hide' },
  { role: 'hideOthers' },
  { role: 'unhide' },
  { type: 'separator' },
]
const inspecting: MenuItemConstructorOptions[] = [{ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' }]
