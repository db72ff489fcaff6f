import { computed, ref, watch, type Ref } from 'vue'
import { asProblem, type Problem } from './problem.ts'

interface DialogFormOptions<T, Field extends string> {
  /** What its fields hold when it opens. */
  readonly begin: () => T
  /** What is wrong with each field. It is shown once somebody has tried to send the form. */
  readonly errors: (form: T) => Readonly<Record<Field, string | false>>
  /** @param before why the last try failed: if its answer was lost, it may have taken effect. */
  readonly save: (form: T, before: Problem | undefined) => unknown
  /** It shows a result afterwards. */
  readonly staysOpen?: boolean
}

/** The form of a dialog: it begins anew whenever it opens, and closes when it was saved. */
export function useDialogForm<T extends object, Field extends string>(
  isOpen: Ref<boolean>,
  { begin, errors, save, staysOpen = false }: DialogFormOptions<T, Field>,
) {
  const form = ref(begin()) as Ref<T>
  const isTried = ref(false)
  const isBusy = ref(false)
  const problem = ref<Problem>()
  const wrong = computed(() => errors(form.value))

  watch(isOpen, (open) => {
    if (!open) return
    form.value = begin()
    isTried.value = false
    problem.value = undefined
  })

  async function submit(): Promise<void> {
    isTried.value = true
    if (Object.values(wrong.value).some((error) => error !== false)) return
    const before = problem.value
    isBusy.value = true
    problem.value = undefined
    try {
      await save(form.value, before)
      if (!staysOpen) isOpen.value = false
    } catch (error) {
      problem.value = asProblem(error)
    } finally {
      isBusy.value = false
    }
  }

  return { form, isTried, isBusy, problem, submit, errorOf: (field: Field) => isTried.value && wrong.value[field] }
}
