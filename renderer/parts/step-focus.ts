import { watch, type Ref } from 'vue'

/** The primary action first, then anything focusable. */
const CANDIDATES = ['[data-primary-action]', 'input, textarea, button, a[href]'].map((each) =>
  each
    .split(', ')
    .map((one) => `${one}:not(:disabled)`)
    .join(', '),
)

/**
 * Moves the focus to the next step when the one that had it disappears, for people who use a keyboard.
 * @param stage the element that contains the steps.
 * @param step changes when another step is shown.
 */
export function useStepFocus(stage: Ref<HTMLElement | null>, step: () => unknown): void {
  watch(
    step,
    () => {
      if (!isLost()) return
      const next = CANDIDATES.map((each) => stage.value?.querySelector<HTMLElement>(each)).find(Boolean)
      next?.focus()
    },
    { flush: 'post' },
  )
}

/** The focus is on nothing, or on the dialog itself, where it moves when the focused element disappears. */
function isLost(): boolean {
  const on = document.activeElement
  return on === null || on === document.body || on.matches('[role=dialog]')
}
