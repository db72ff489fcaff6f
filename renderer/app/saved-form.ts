import { computed, ref, watch, type ComputedRef, type Ref } from 'vue'
import { isSame } from './changed-fields.ts'
import { asProblem, type Problem } from './problem.ts'
import { useUnsaved } from './unsaved.ts'

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

export interface SavedForm<T> {
  readonly form: Ref<T>
  readonly isDirty: ComputedRef<boolean>
  readonly isBusy: Ref<boolean>
  readonly problem: Ref<Problem | undefined>
  readonly submit: () => Promise<void>
  readonly reset: () => void
}

interface SavedFormOptions<T> {
  /** Whether the form can be saved; marks missing and invalid fields. */
  readonly isComplete?: (form: T) => boolean
  /** It is kept while another tab of its screen is shown. */
  readonly isAcrossTabs?: boolean
}

/**
 * A form for stored values. It shows what another window saves unless it has unsaved changes. Leaving it with changes
 * asks first.
 * @param saved the form for the stored values; JSON values only.
 */
export function useSavedForm<T extends object>(
  saved: () => T,
  save: (form: T) => Promise<unknown>,
  { isComplete = () => true, isAcrossTabs = false }: SavedFormOptions<T> = {},
): SavedForm<T> {
  const form = ref(copy(saved())) as Ref<T>
  /** Accepted by the service, but `saved` has not been loaded again yet. */
  const accepted = ref<T>()
  const isBusy = ref(false)
  const problem = ref<Problem>()
  const isDirty = computed(() => !isSame(form.value, saved()) && !isSame(form.value, accepted.value))

  watch(saved, (next, before) => {
    if (isSame(next, before)) return
    if (isSame(form.value, before) || isSame(form.value, accepted.value)) form.value = copy(next)
    accepted.value = undefined
  })

  function reset(): void {
    form.value = copy(accepted.value ?? saved())
    problem.value = undefined
  }

  async function submit(): Promise<void> {
    if (!isComplete(form.value)) return
    isBusy.value = true
    problem.value = undefined
    const [sent, before] = [copy(form.value), copy(saved())]
    try {
      await save(copy(sent))
      // Text typed meanwhile is kept, as unsaved.
      if (isSame(saved(), before)) accepted.value = sent
      else if (isSame(form.value, sent)) form.value = copy(saved())
    } catch (error) {
      problem.value = asProblem(error)
    } finally {
      isBusy.value = false
    }
  }

  useUnsaved({ isDirty: () => isDirty.value, isAcrossTabs, discard: reset, save: submit })

  return { form, isDirty, isBusy, problem, submit, reset }
}
