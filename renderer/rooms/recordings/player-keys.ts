import { useEventListener } from '@vueuse/core'
import type { RecordingPlayer } from './use-player.ts'

const STEP_MS = 5_000
const LEAP_MS = 30_000

/** Elements in which letters and arrow keys have their own meaning. */
const TYPING =
  'input, textarea, select, [contenteditable], [role="combobox"], [role="listbox"], [role="menu"], [role="dialog"]'
/** Elements that the space bar presses. */
const PRESSED = 'button, a, [role="switch"], [role="option"], [role="menuitem"]'

/** The keyboard shortcuts of the player. They work wherever the focus is on its screen. */
export function usePlayerKeys(player: RecordingPlayer, durationMs: () => number): void {
  const acts: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
    ' ': () => player.toggle(),
    ArrowLeft: ({ shiftKey }) => player.skip(shiftKey ? -LEAP_MS : -STEP_MS),
    ArrowRight: ({ shiftKey }) => player.skip(shiftKey ? LEAP_MS : STEP_MS),
    Home: () => player.seek(0),
    End: () => player.seek(durationMs()),
    ',': () => player.changeSpeed(-1),
    '.': () => player.changeSpeed(1),
  }

  useEventListener(document, 'keydown', (event) => {
    const act = acts[event.key]
    if (act === undefined || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    const { target } = event
    if (target instanceof Element) {
      if (target.closest(TYPING) !== null) return
      if (event.key === ' ' && target.closest(PRESSED) !== null) return
    }
    event.preventDefault()
    act(event)
  })
}
