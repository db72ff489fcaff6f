import { Menu, nativeImage, Tray } from 'electron'
import type { Words } from './words.ts'

export interface Counts {
  readonly connected: number
  readonly total: number
}

interface TrayNeeds {
  readonly icon: string
  readonly words: Words
  readonly open: () => void
  readonly quit: () => void
}

/** How many numbers are connected, one look away while the window is hidden. */
export function createTray({ icon, words, open, quit }: TrayNeeds): { show(counts: Counts): void; destroy(): void } {
  const tray = new Tray(nativeImage.createFromPath(icon))
  tray.on('click', open)
  return {
    show({ connected, total }) {
      const line = words.connected(connected, total)
      tray.setToolTip(`Switchboard · ${line}`)
      tray.setContextMenu(
        Menu.buildFromTemplate([
          { label: line, enabled: false },
          { type: 'separator' },
          { label: words.open, click: open },
          { label: words.quit, click: quit },
        ]),
      )
    },
    destroy: () => tray.destroy(),
  }
}
