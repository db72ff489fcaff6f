import { onScopeDispose, ref, shallowReactive, watch } from 'vue'
import type { RouteLocationNormalized } from 'vue-router'

/** A form with input that is only in the window. */
export interface UnsavedForm {
  /** Its fields differ from the stored values. */
  readonly isDirty: () => boolean
  /** It is kept when another tab or step of its screen is shown. */
  readonly isAcrossTabs?: boolean
  /** It is kept on every screen; only closing the window loses it. */
  readonly staysInWindow?: boolean
  /** Restores the stored values. */
  readonly discard: () => void
  /** Saves it; after a failure it is still dirty. Without it, the dialog offers no *Save*. */
  readonly save?: () => Promise<unknown>
}

const forms = shallowReactive(new Set<UnsavedForm>())

/** The open question, shown by the single dialog for it. */
export const question = ref<{ readonly canSave: boolean; readonly answer: (choice: Choice) => void }>()
type Choice = 'save' | 'discard' | 'stay'

/** Registers a form's unsaved changes while its component is shown. */
export function useUnsaved(form: UnsavedForm): void {
  forms.add(form)
  onScopeDispose(() => forms.delete(form))
}

/** Whether anything typed would be lost. */
export const hasUnsaved = (): boolean => [...forms].some((form) => form.isDirty())

/**
 * Asks what to do with unsaved changes, if there are any.
 * @param closes whether a form would close; default: all forms.
 * @returns whether they may close: nothing was unsaved, or it was saved or discarded.
 */
export async function mayLeave(closes: (form: UnsavedForm) => boolean = () => true): Promise<boolean> {
  const listDirty = () => [...forms].filter((form) => closes(form) && form.isDirty())
  const dirty = listDirty()
  if (dirty.length === 0) return true
  // A second navigation while the question is open, such as the browser's Back.
  if (question.value !== undefined) return false
  const choice = await ask(dirty.every(({ save }) => save !== undefined))
  if (choice === 'stay') return false
  if (choice === 'save') {
    for (const form of dirty) await form.save?.()
    return listDirty().length === 0
  }
  for (const form of dirty) form.discard()
  return true
}

function ask(canSave: boolean): Promise<Choice> {
  return new Promise((resolve) => {
    question.value = {
      canSave,
      answer(choice) {
        question.value = undefined
        resolve(choice)
      },
    }
  })
}

/**
 * Runs before the URL changes. Another screen, agent, tab or step closes forms; a filter or a page of a list does
 * not.
 */
export function mayNavigate(to: RouteLocationNormalized, from: RouteLocationNormalized): Promise<boolean> | true {
  const isAnother = (name: 'agent' | 'tab' | 'step') => to.query[name] !== from.query[name]
  const closes = (form: UnsavedForm) => form.staysInWindow !== true
  if (to.path !== from.path || isAnother('agent')) return mayLeave(closes)
  return isAnother('tab') || isAnother('step') ? mayLeave((form) => closes(form) && form.isAcrossTabs !== true) : true
}

/** Tells whether something typed would be lost, now and whenever that changes. */
export function onUnsavedChange(tell: (isUnsaved: boolean) => void): void {
  watch(hasUnsaved, tell, { immediate: true })
}

/** Lets the browser ask before the page is closed or reloaded. The desktop app asks before it quits. */
export function askBeforeUnload(): void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault()
  // A page with this listener is not kept for the browser's Back, so it listens only while something would be lost.
  watch(hasUnsaved, (isUnsaved) => (isUnsaved ? addEventListener : removeEventListener)('beforeunload', ask), {
    flush: 'sync',
  })
}
