import { Menu, nativeImage, Tray } from 'electron'
import type { Counts } from './counts.ts'
import type { Words } from './words/shape.ts'

interface TrayDeps {
  readonly icon: string
  readonly words: Words
  /** @param route of the page; if omitted, the window keeps its page. */
  readonly open: (route?: string) => void
  readonly quit: () => void
}

/** Shows the state of the numbers while the window is hidden. */
export function createTray({ icon, words, open, quit }: TrayDeps): { show(counts: Counts): void; destroy(): void } {
  const tray = new Tray(nativeImage.createFromPath(icon))
  // Some desktops show only the menu.
  tray.on('click', () => open())
  draw(words.tray.starting, 0)

  function draw(state: string, lost: number): void {
    const attention = lost > 0 ? [{ label: words.tray.lost(lost), click: () => open('/instances') }] : []
    tray.setToolTip(['Switchboard', state, ...attention.map(({ label }) => label)].join(' · '))
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: state, enabled: false },
        ...attention,
        { type: 'separator' },
        { label: words.open, click: () => open() },
        { label: words.quit, click: quit },
      ]),
    )
  }

  return {
    show: (counts) => draw(words.tray.state(counts), counts.lost),
    destroy: () => tray.destroy(),
  }
}
