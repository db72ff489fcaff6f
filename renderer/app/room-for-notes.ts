import { useResizeObserver } from '@vueuse/core'
import { shallowRef, watch } from 'vue'
import { useToast } from '@nuxt/ui/composables'

/** Between them and the edge of the window, as much as between one and the next. */
const MARGIN_PX = 16

/**
 * Leaves room at the bottom of the window for what is told in passing: `--notes` is what the window and its dialogs end
 * above (theme.css). Nothing that can be pressed or written in ever lies under a note, at any size of the window.
 * @param place selects the element that holds the notes.
 */
export function useRoomForNotes(place: string): void {
  const { toasts } = useToast()
  const holder = shallowRef<HTMLElement | null>(null)
  // It is drawn after the window; by the time something is told it is there.
  watch(toasts, () => (holder.value ??= document.querySelector<HTMLElement>(place)), { flush: 'post' })
  useResizeObserver(holder, ([entry]) => {
    const height = entry?.contentRect.height ?? 0
    document.documentElement.style.setProperty('--notes', `${height > 0 ? height + MARGIN_PX : 0}px`)
    // Where somebody writes stays in sight in the smaller window.
    if (document.activeElement !== document.body) document.activeElement?.scrollIntoView({ block: 'nearest' })
  })
}
