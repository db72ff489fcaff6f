import { ref, watch, type Ref } from 'vue'
import { mayLeave, useUnsaved, type UnsavedForm } from './unsaved.ts'

/**
 * Asks before a dialog with unsaved input closes. Its *Cancel* button closes it without asking.
 * @param isDone the form was sent and the dialog shows the result.
 * @returns `touch` for the form's `input` events, `setOpen` for the dialog's `update:open`.
 */
export function useUnsavedDialog(isOpen: Ref<boolean>, isDone: () => boolean = () => false) {
  const isTouched = ref(false)
  watch(isOpen, () => (isTouched.value = false))
  const form: UnsavedForm = {
    isDirty: () => isOpen.value && isTouched.value && !isDone(),
    discard: () => (isTouched.value = false),
  }
  useUnsaved(form)

  return {
    touch: () => void (isTouched.value = true),
    /** What was typed is sent. If that fails, `touch` again. */
    sent: () => void (isTouched.value = false),
    async setOpen(open: boolean): Promise<void> {
      if (open || (await mayLeave((each) => each === form))) isOpen.value = open
    },
  }
}
