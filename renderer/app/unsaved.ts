import { onScopeDispose, ref, shallowReactive, watch } from 'vue'
import type { RouteLocationNormalized } from 'vue-router'

/** A form whose text is only in the window. */
export interface UnsavedForm {
  /** Its fields differ from what is saved. */
  readonly isDirty: () => boolean
  /** It stays when another tab or step of its screen is shown. */
  readonly isAcrossTabs?: boolean
  /** It stays whatever screen is shown; only the end of the window loses it. */
  readonly staysInWindow?: boolean
  /** Back to what is saved. */
  readonly discard: () => void
  /** Saves it. It is still dirty afterwards if that failed. Without it, the dialog offers no *Save*. */
  readonly save?: () => Promise<unknown>
}

const forms = shallowReactive(new Set<UnsavedForm>())

/** The open question, for the one dialog that asks it. */
export const question = ref<{ readonly canSave: boolean; readonly answer: (choice: Choice) => void }>()
type Choice = 'save' | 'discard' | 'stay'

/** Counts a form among the unsaved ones while its component is shown. */
export function useUnsaved(form: UnsavedForm): void {
  forms.add(form)
  onScopeDispose(() => forms.delete(form))
}

/** Whether anything typed would be lost. */
export const hasUnsaved = (): boolean => [...forms].some((form) => form.isDirty())

/**
 * Asks what to do with unsaved changes, if there are any.
 * @param closes whether a form is about to close; all of them by default.
 * @returns whether they may close: nothing was unsaved, or it was saved or discarded.
 */
export async function mayLeave(closes: (form: UnsavedForm) => boolean = () => true): Promise<boolean> {
  const listDirty = () => [...forms].filter((form) => closes(form) && form.isDirty())
  const dirty = listDirty()
  if (dirty.length === 0) return true
  // A second way out while the question is open, such as the browser's Back.
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

/** Before the address changes. Another screen, agent, tab or step closes forms; a filter or a page of a list does not. */
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
  // A page that listens for it is not kept for going back, so it listens only while there is something to lose.
  watch(hasUnsaved, (isUnsaved) => (isUnsaved ? addEventListener : removeEventListener)('beforeunload', ask), {
    flush: 'sync',
  })
}
