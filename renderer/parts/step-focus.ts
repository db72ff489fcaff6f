import { watch, type Ref } from 'vue'

/** What leads on stands first, then whatever can be used. */
const CANDIDATES = ['[data-primary-action]', 'input, textarea, button, a[href]'].map((each) =>
  each
    .split(', ')
    .map((one) => `${one}:not(:disabled)`)
    .join(', '),
)

/**
 * Keeps a person with a keyboard on the way: a step that goes takes the focus with it, and then the next step has it.
 * @param stage what the steps are shown in.
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

/** With nothing, or with the dialog as a whole, which is where it falls when what had it is gone. */
function isLost(): boolean {
  const on = document.activeElement
  return on === null || on === document.body || on.matches('[role=dialog]')
}
