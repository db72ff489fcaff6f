import { computed, ref, watch, type ComputedRef, type Ref } from 'vue'
import { asProblem, type Problem } from '../../app/problem.ts'

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

interface SavedForm<T> {
  readonly form: Ref<T>
  readonly isDirty: ComputedRef<boolean>
  readonly isBusy: Ref<boolean>
  readonly problem: Ref<Problem | undefined>
  readonly submit: () => Promise<void>
  readonly reset: () => void
}

/**
 * A form over something that is saved. What another window saves is shown, unless something is being changed here.
 * @param saved the form that what is saved would have; JSON values only.
 */
export function useSavedForm<T extends object>(saved: () => T, save: (form: T) => Promise<unknown>): SavedForm<T> {
  const form = ref(copy(saved())) as Ref<T>
  const isBusy = ref(false)
  const problem = ref<Problem>()
  const isDirty = computed(() => !isSame(form.value, saved()))

  watch(saved, (next, before) => {
    if (!isSame(next, before) && isSame(form.value, before)) form.value = copy(next)
  })

  function reset(): void {
    form.value = copy(saved())
    problem.value = undefined
  }

  async function submit(): Promise<void> {
    isBusy.value = true
    problem.value = undefined
    try {
      await save(copy(form.value))
      form.value = copy(saved())
    } catch (error) {
      problem.value = asProblem(error)
    } finally {
      isBusy.value = false
    }
  }

  return { form, isDirty, isBusy, problem, submit, reset }
}
